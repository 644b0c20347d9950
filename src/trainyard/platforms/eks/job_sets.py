"""JobSets of Kubernetes: what their controller says of them, in the words that Kubeflow's operators have for jobs.

https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/api/jobset/v1alpha2/jobset_types.go
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go
"""

from __future__ import annotations

from typing import Any

from trainyard.edge.kubernetes.documents import Document, number, part, parts, text

JOB_SETS = "jobsets.jobset.x-k8s.io"
"""What kubectl calls them."""
JOB_SET_NAME = "jobset.sigs.k8s.io/jobset-name"
"""The label of their Jobs and pods."""
_WORDS = {"Completed": "Succeeded", "Failed": "Failed", "Suspended": "Suspended"}


def job_set_condition(job_set: Document) -> dict[str, Any]:
    """Return how a JobSet is, as a condition: its type is Succeeded, Failed, Suspended, Running, Restarting or Created.

    The controller has no condition for a JobSet that runs: the Jobs that are ready tell it.
    """
    conditions = {text(condition, "type"): condition for condition in parts(job_set, "status", "conditions")}
    for type_, word in _WORDS.items():
        if text(conditions.get(type_, {}), "status") == "True":
            return {**conditions[type_], "type": word}
    # Since when all Jobs are ready, or why they are not, stands in the condition of its restarts. Where a pod is not
    # ready any more, it still says that all are, of a time that is over.
    restarting = conditions.get("Restarting", {})
    since = {"lastTransitionTime": restarting.get("lastTransitionTime")}
    if _all_ready(job_set):
        return {**since, "type": "Running"}
    told = restarting if text(restarting, "status") == "True" else since
    return {**told, "type": "Restarting" if number(part(job_set, "status"), "restarts") else "Created"}


def job_set_pods(job_set: Document) -> int:
    """Return how many pods a JobSet has."""
    return sum(_pods_of(replicated) * _replicas(replicated) for replicated in parts(job_set, "spec", "replicatedJobs"))


def ready_pods(job_set: Document) -> int:
    """Return how many pods the Jobs have whose pods all run."""
    ready = _jobs_by_name(job_set, "ready")
    return sum(
        _pods_of(replicated) * ready.get(text(replicated, "name"), 0)
        for replicated in parts(job_set, "spec", "replicatedJobs")
    )


def _all_ready(job_set: Document) -> bool:
    ready, replicated_jobs = _jobs_by_name(job_set, "ready", "succeeded"), parts(job_set, "spec", "replicatedJobs")
    return bool(replicated_jobs) and all(
        ready.get(text(replicated, "name"), 0) >= _replicas(replicated) for replicated in replicated_jobs
    )


def _jobs_by_name(job_set: Document, *states: str) -> dict[str, int]:
    """Return how many Jobs of each name are in some states."""
    return {
        text(status, "name"): sum(number(status, state) for state in states)
        for status in parts(job_set, "status", "replicatedJobsStatus")
    }


def _replicas(replicated: Document) -> int:
    return number(replicated, "replicas") if "replicas" in replicated else 1


def _pods_of(replicated: Document) -> int:
    spec = part(replicated, "template", "spec")
    return number(spec, "parallelism") if "parallelism" in spec else 1
