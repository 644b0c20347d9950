"""What the status of objects would say: controllers write it, from the pods that there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trainyard.rehearsal.emulated.kubernetes.job_sets import child_jobs
from trainyard.rehearsal.emulated.kubernetes.pods import ClusterView, daemon_nodes, is_ready
from trainyard.rehearsal.emulated.kubernetes.references import bound_volume


def with_status(look: ClusterView, resource: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object as an API server shows it."""
    status = _STATUSES.get(resource)
    return {**document, **({} if status is None else {"status": status(look, document)})}


def _of_daemon_set(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    ready, desired = _ready(look, document), len(daemon_nodes(document, look.nodes))
    return {
        "observedGeneration": document["metadata"]["generation"],
        "desiredNumberScheduled": desired,
        "currentNumberScheduled": len(look.of(document)),
        "updatedNumberScheduled": len(look.of(document)),
        "numberMisscheduled": 0,
        "numberReady": ready,
        "numberAvailable": ready,
        "numberUnavailable": desired - ready,
    }


def _of_deployment(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    ready, replicas = _ready(look, document), document["spec"].get("replicas", 1)
    available = {"type": "Available", "status": "True" if ready >= replicas else "False", "reason": "MinimumReplicas"}
    return {
        "observedGeneration": document["metadata"]["generation"],
        "replicas": replicas,
        "updatedReplicas": replicas,
        "readyReplicas": ready,
        "availableReplicas": ready,
        "unavailableReplicas": replicas - ready,
        "conditions": [available],
    }


def _of_job(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the status of a job of an operator: it runs as soon as all its pods do, and as long as one is left.

    https://github.com/kubeflow/training-operator/blob/v1.9.0/pkg/util/status.go
    """
    pods, uid = look.of(document), document["metadata"]["uid"]
    at = document["metadata"]["creationTimestamp"]
    message, again_at = look.objects.restarting.get(uid, ("", at))
    ready = [is_ready(pod) for pod in pods]
    conditions = [("Created", "", at)]
    if (end := look.objects.job_ends.get(uid)) is not None:
        conditions.append((end.condition, end.message, end.at))
    elif any(ready) if message else ready and all(ready):
        conditions.append(("Running", "", again_at))
    elif message:
        conditions.append(("Restarting", message, again_at))
    kind = document["kind"]
    return {
        "conditions": [
            {"type": type_, "status": "True", "reason": f"{kind}{type_}", "message": said, "lastTransitionTime": since}
            for type_, said, since in conditions
        ],
        "startTime": at,
        **({} if end is None else {"completionTime": end.at}),
    }


def _of_job_set(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the status of a JobSet: there is no condition for one that runs, but the Jobs that are ready.

    https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go
    """
    uid, replicated_jobs = document["metadata"]["uid"], document["spec"].get("replicatedJobs", ())
    restarts, end = look.objects.job_set_restarts.get(uid, []), look.objects.job_ends.get(uid)
    jobs = child_jobs(look.objects, document)
    counts = [{"name": one["name"], **_counted_jobs(look, one["name"], jobs)} for one in replicated_jobs]
    are_ready = sum(one["ready"] + one["succeeded"] for one in counts) == len(jobs)
    conditions = []
    if restarts:
        ended = {
            "Completed": ("JobSetCompleted", "jobset completed successfully"),
            "Failed": ("JobSetFailed", "jobset failed"),
        }
        off = ended[end.condition] if end else ("JobsReady", "all jobs are ready") if are_ready else None
        reason, message = off or (restarts[-1].reason, restarts[-1].message)
        conditions.append(_condition("Restarting", reason, message, restarts[-1].at, holds=off is None))
    if end is not None:
        conditions.append(_condition(end.condition, end.reason, end.message, end.at))
    return {
        "conditions": conditions,
        "restarts": len(restarts),
        "restartsCountTowardsMax": sum(restart.is_counted for restart in restarts),
        "replicatedJobsStatus": counts,
        **({} if end is None else {"terminalState": end.condition}),
    }


def _condition(type_: str, reason: str, message: str, at: str, *, holds: bool = True) -> dict[str, str]:
    status = "True" if holds else "False"
    return {"type": type_, "status": status, "reason": reason, "message": message, "lastTransitionTime": at}


def _counted_jobs(look: ClusterView, name: str, jobs: list[dict[str, Any]]) -> dict[str, int]:
    """Return how many Jobs of one replicated job are ready, and so on."""
    counts = dict.fromkeys(("ready", "succeeded", "failed", "active", "suspended"), 0)
    for job in jobs:
        if job["metadata"]["labels"]["jobset.sigs.k8s.io/replicatedjob-name"] == name:
            status = _of_child_job(look, job)
            over = {condition["type"] for condition in status["conditions"]}
            running = status["active"] > 0
            counts["succeeded"] += "Complete" in over
            counts["failed"] += "Failed" in over
            counts["active"] += running
            counts["ready"] += running and status["ready"] + status["succeeded"] >= job["spec"].get("parallelism", 1)
    return counts


def _of_child_job(look: ClusterView, job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the status of a Job: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/job-v1/."""
    pods, at = look.of(job), job["metadata"]["creationTimestamp"]
    phases = [pod["status"]["phase"] for pod in pods]
    conditions = []
    if (failure := look.objects.failed_jobs.get(job["metadata"]["uid"])) is not None:
        conditions.append(_condition("Failed", *failure, at))
    elif pods and set(phases) == {"Succeeded"}:
        conditions.append(_condition("Complete", "CompletionsReached", "Reached expected number of succeeded pods", at))
    return {
        "active": sum(phase in ("Pending", "Running") for phase in phases),
        "ready": _ready(look, job),
        "succeeded": phases.count("Succeeded"),
        "failed": phases.count("Failed"),
        "startTime": at,
        "conditions": conditions,
    }


def _of_claim(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    return {"phase": "Pending" if bound_volume(look.objects, document) is None else "Bound"}


def _of_volume(look: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    claims = look.objects.of("persistentvolumeclaims")
    name = document["metadata"]["name"]
    volumes = [bound for claim in claims if (bound := bound_volume(look.objects, claim)) is not None]
    return {"phase": "Bound" if any(volume["metadata"]["name"] == name for volume in volumes) else "Available"}


def _of_definition(_: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    names = {"type": "NamesAccepted", "status": "True"}
    return {
        "conditions": [names, {"type": "Established", "status": "True"}],
        "acceptedNames": document["spec"]["names"],
    }


def _active(_: ClusterView, document: Mapping[str, Any]) -> dict[str, Any]:
    del document
    return {"phase": "Active"}


def _ready(look: ClusterView, document: Mapping[str, Any]) -> int:
    return sum(1 for pod in look.of(document) if is_ready(pod))


_STATUSES: dict[str, Callable[[ClusterView, Mapping[str, Any]], dict[str, Any]]] = {
    "daemonsets.apps": _of_daemon_set,
    "deployments.apps": _of_deployment,
    "statefulsets.apps": _of_deployment,
    "jobs.batch": _of_child_job,
    "jobsets.jobset.x-k8s.io": _of_job_set,
    "mpijobs.kubeflow.org": _of_job,
    "pytorchjobs.kubeflow.org": _of_job,
    "persistentvolumeclaims": _of_claim,
    "persistentvolumes": _of_volume,
    "customresourcedefinitions.apiextensions.k8s.io": _of_definition,
    "namespaces": _active,
}
