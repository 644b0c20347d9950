"""JobSets: their Jobs and pods, which their controller makes anew together, and what it says of them.

A Job is no object of its own here: it is there as long as its JobSet is, and another one after each restart.
https://github.com/kubernetes-sigs/jobset/blob/v0.12.0/pkg/controllers/jobset_controller.go, failure_policy.go beside it
https://github.com/kubernetes/kubernetes/tree/v1.36.0/pkg/controller/job, job_controller.go and pod_failure_policy.go
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trainyard.rehearsal.emulated.kubernetes.controller_pods import ControllerPod
from trainyard.rehearsal.emulated.kubernetes.objects import JobEnd, Objects, PodEnd, Restart

JOB_SETS = "jobsets.jobset.x-k8s.io"
CONTROLLER = "jobset-controller-manager"
"""The name of its Deployment."""
_LABEL = "jobset.sigs.k8s.io/"
_BACKOFF_LIMIT = 6  # https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy
# A node under pressure or one that shuts down, the scheduler, an eviction by the API, and a node that is gone.
# https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
NODE_LOST = "NodeLost"
DISRUPTIONS = ("Evicted", "Terminated", "NodeShutdown", "Preempting", NODE_LOST)
"""Reasons for which the pod gets the condition DisruptionTarget."""


class Failure(NamedTuple):
    """Why a Job has failed."""

    reason: str
    message: str


def child_jobs(objects: Objects, job_set: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the Jobs that a JobSet has now."""
    metadata, restarts = job_set["metadata"], objects.job_set_restarts.get(job_set["metadata"]["uid"], [])
    at = restarts[-1].at if restarts else metadata["creationTimestamp"]
    return [
        _child_job(job_set, replicated, number, len(restarts), at)
        for replicated in job_set["spec"].get("replicatedJobs", ())
        for number in range(replicated.get("replicas", 1))
    ]


def _child_job(
    job_set: Mapping[str, Any], replicated: Mapping[str, Any], number: int, restarts: int, at: str
) -> dict[str, Any]:
    metadata, template = job_set["metadata"], replicated["template"]
    name = f"{metadata['name']}-{replicated['name']}-{number}"
    labels = {
        f"{_LABEL}jobset-name": metadata["name"],
        f"{_LABEL}jobset-uid": metadata["uid"],
        f"{_LABEL}replicatedjob-name": replicated["name"],
        f"{_LABEL}restart-attempt": str(restarts),
        f"{_LABEL}job-index": str(number),
    }
    pod = template["spec"]["template"]
    network = job_set["spec"].get("network") or {}
    of_pod = {"restartPolicy": "OnFailure", "subdomain": network.get("subdomain", metadata["name"]), **pod["spec"]}
    pod_metadata = {"labels": {**((pod.get("metadata") or {}).get("labels") or {}), **labels}}
    own = template.get("metadata") or {}
    reference = {"apiVersion": job_set["apiVersion"], "kind": "JobSet", "name": metadata["name"]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": metadata["namespace"],
            "uid": f"{metadata['uid']}-{replicated['name']}-{number}-{restarts}",
            "creationTimestamp": at,
            "labels": {**(own.get("labels") or {}), **labels},
            "ownerReferences": [{**reference, "uid": metadata["uid"], "controller": True}],
        },
        "spec": {
            "completionMode": "Indexed",
            **template["spec"],
            "template": {"metadata": pod_metadata, "spec": of_pod},
        },
    }


def job_set_pods(objects: Objects, job_set: Mapping[str, Any]) -> Iterator[ControllerPod]:
    """Yield the pods of a JobSet; those that have ended with it stay."""
    for job in child_jobs(objects, job_set):
        name, uid = job["metadata"]["name"], job["metadata"]["uid"]
        for index in range(_pods_of(job)):
            labels = {
                "batch.kubernetes.io/job-name": name,
                "batch.kubernetes.io/controller-uid": uid,
                "batch.kubernetes.io/job-completion-index": str(index),
            }
            # The pod is JOB-INDEX-RANDOM, its host JOB-INDEX.
            letters = hashlib.sha256(f"{uid} {index}".encode()).hexdigest()[:5]
            spec = {**job["spec"]["template"]["spec"], "hostname": f"{name}-{index}"}
            template = {**job["spec"]["template"], "spec": spec}
            yield ControllerPod(f"{name}-{index}-{letters}", job, template, labels=labels)


def _pods_of(job: Mapping[str, Any]) -> int:
    return int(job["spec"].get("parallelism", 1))


def job_set_of(objects: Objects, pod: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the JobSet that a pod is of; None where it is of none."""
    uid = (pod["metadata"].get("labels") or {}).get(f"{_LABEL}jobset-uid")
    return next((job_set for job_set in objects.of(JOB_SETS) if job_set["metadata"]["uid"] == uid), None)


def reconcile(
    objects: Objects,
    job_set: Mapping[str, Any],
    pods: Sequence[Mapping[str, Any]],
    pod: Mapping[str, Any],
    end: PodEnd,
) -> None:
    """Do what the controllers do once a pod of a JobSet has ended, or its container has started again.

    ``pods`` are all pods of its Jobs.
    """
    uid, owner = job_set["metadata"]["uid"], pod["metadata"]["ownerReferences"][0]["uid"]
    job = next(job for job in child_jobs(objects, job_set) if job["metadata"]["uid"] == owner)
    of_job = [one for one in pods if one["metadata"]["ownerReferences"][0]["uid"] == owner]
    if (failure := _failure(objects, job, of_job, pod, end)) is not None:
        _apply_failure_policy(objects, job_set, job, failure, end.at)
    elif all(one["metadata"]["uid"] in objects.pod_ends for one in pods):
        names = tuple(one["metadata"]["name"] for one in pods)
        objects.job_ends[uid] = JobEnd("Completed", "jobset completed successfully", end.at, names, "AllJobsCompleted")


def disrupt(objects: Objects, job_set: Mapping[str, Any], pod: Mapping[str, Any], reason: str, at: str) -> None:
    """Let a pod go that is evicted, or whose node is gone: its Job fails, unless its policy says otherwise."""
    end = PodEnd(137, reason, at)
    objects.pod_ends[pod["metadata"]["uid"]] = end
    reconcile(objects, job_set, [pod], pod, end)


def _failure(
    objects: Objects,
    job: Mapping[str, Any],
    pods: Sequence[Mapping[str, Any]],
    pod: Mapping[str, Any],
    end: PodEnd,
) -> Failure | None:
    """Return why a Job has failed by now; None where it has not, and a pod that has failed is made anew."""
    uid, pod_uid = job["metadata"]["uid"], pod["metadata"]["uid"]
    is_failed_pod = end.has_failed and pod_uid in objects.pod_ends
    if is_failed_pod:
        action, message = _matched(job, pod, end)
        if action == "FailJob":
            return Failure("PodFailurePolicy", message)
        objects.job_failures[uid] = objects.job_failures.get(uid, 0) + (action != "Ignore")
    started_again = sum(len(objects.container_ends.get(one["metadata"]["uid"], ())) for one in pods)
    limit = job["spec"].get("backoffLimit", _BACKOFF_LIMIT)
    if objects.job_failures.get(uid, 0) > limit or started_again >= max(limit, 1):
        return Failure("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    if is_failed_pod:
        # Another one of its index, which keeps its name here.
        del objects.pod_ends[pod_uid]
        objects.replace_pod(f"{uid}-{pod['metadata']['name']}", end.at)
    return None


def _matched(job: Mapping[str, Any], pod: Mapping[str, Any], end: PodEnd) -> tuple[str, str]:
    """Return the action of the first rule for a pod that has failed, and what the Job says then."""
    namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
    container = pod["spec"]["containers"][0]["name"]
    for number, rule in enumerate((job["spec"].get("podFailurePolicy") or {}).get("rules", ())):
        at_rule = f"matching {rule['action']} rule at index {number}"
        if "onExitCodes" in rule:
            codes = rule["onExitCodes"]
            is_listed = end.code in codes["values"]
            is_asked = codes.get("containerName", container) == container and not end.reason
            if is_asked and end.code and is_listed == (codes["operator"] == "In"):
                return rule[
                    "action"
                ], f"Container {container} for pod {namespace}/{name} failed with exit code {end.code} {at_rule}"
        elif end.reason in DISRUPTIONS and any(one["type"] == "DisruptionTarget" for one in rule["onPodConditions"]):
            return rule["action"], f"Pod {namespace}/{name} has condition DisruptionTarget {at_rule}"
    return "Count", ""


def _apply_failure_policy(
    objects: Objects, job_set: Mapping[str, Any], job: Mapping[str, Any], failure: Failure, at: str
) -> None:
    """Do what the failure policy of a JobSet says: fail, or start everything anew, counted or not."""
    policy, uid = job_set["spec"].get("failurePolicy"), job_set["metadata"]["uid"]
    objects.failed_jobs[job["metadata"]["uid"]] = failure
    first = f"(first failed job: {job['metadata']['name']})"
    if policy is None:
        _fail(objects, job_set, "FailedJobs", f"jobset failed due to one or more job failures {first}", at)
        return
    rule = next((rule for rule in policy.get("rules", ()) if _applies(rule, job, failure)), None)
    action = "RestartJobSet" if rule is None else rule["action"]
    restarts = objects.job_set_restarts.setdefault(uid, [])
    if action == "FailJobSet":
        _fail(objects, job_set, f"{action}FailurePolicyAction", f"applying {action} failure policy action {first}", at)
    elif action == "RestartJobSet" and sum(one.is_counted for one in restarts) >= policy.get("maxRestarts", 0):
        _fail(
            objects, job_set, "ReachedMaxRestarts", f"jobset failed due to reaching max number of restarts {first}", at
        )
    else:
        why = "DefaultFailurePolicy" if rule is None else f"FailurePolicy_{rule['name']}"
        message = f"applying {action} failure policy action {first}"
        restarts.append(Restart(at, why, message, is_counted=action == "RestartJobSet"))


def _applies(rule: Mapping[str, Any], job: Mapping[str, Any], failure: Failure) -> bool:
    reasons, patterns = rule.get("onJobFailureReasons"), rule.get("onJobFailureMessagePatterns")
    replicated = rule.get("targetReplicatedJobs")
    return (
        (not reasons or failure.reason in reasons)
        and (not patterns or any(re.search(pattern, failure.message) for pattern in patterns))
        and (not replicated or job["metadata"]["labels"][f"{_LABEL}replicatedjob-name"] in replicated)
    )


def _fail(objects: Objects, job_set: Mapping[str, Any], reason: str, message: str, at: str) -> None:
    """End a JobSet. Pods that run are deleted, and those whose node is gone; others that have ended stay."""
    uids = {pod.name: f"{pod.owner['metadata']['uid']}-{pod.name}" for pod in job_set_pods(objects, job_set)}
    ends = {uid: end for uid, end in objects.pod_ends.items() if end.reason != NODE_LOST}
    stay = tuple(name for name, first in uids.items() if any(uid.startswith(first) for uid in ends))
    objects.job_ends[job_set["metadata"]["uid"]] = JobEnd("Failed", message, at, stay, reason)
