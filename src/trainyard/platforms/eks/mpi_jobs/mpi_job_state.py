"""How an MPIJob is, from what its operator says of it and from its pods.

https://github.com/kubeflow/mpi-operator/blob/v0.7.0/pkg/controller/mpi_job_controller.go
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trainyard.bench.submission.scheduler import State
from trainyard.platforms.eks.mpi_jobs.pod_words import Trouble, nodes_of, told_together, trouble_of

# Labels that the operator gives its pods.
JOB_NAME = "training.kubeflow.org/job-name"
_ROLE = "training.kubeflow.org/job-role"
_NO_PODS = "the MPI operator has made no pods for it yet"


class MpiJobStatus(NamedTuple):
    """A look at an MPIJob."""

    state: State
    finished: bool
    """Whether the operator has ended it, and its nodes are free."""
    troubles: Mapping[str, Trouble]
    """By pod, such as worker-0."""
    has_pods: bool


def mpi_job_status(mpi_job: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> MpiJobStatus:
    """Return how an MPIJob is."""
    said = {
        condition["type"]: condition
        for condition in (mpi_job.get("status") or {}).get("conditions") or ()
        if condition.get("status") == "True" and "type" in condition
    }
    troubles = {_short_name(pod): trouble for pod in pods if (trouble := trouble_of(pod)) is not None}
    workers = [pod for pod in pods if role_of(pod) == "worker"]
    nodes = nodes_of(workers)
    if "Succeeded" in said:
        return MpiJobStatus(State("COMPLETED", "", nodes), finished=True, troubles=troubles, has_pods=bool(pods))
    if "Failed" in said:
        reason = _why_failed(said["Failed"], troubles, len(pods))
        return MpiJobStatus(State("FAILED", reason, nodes), finished=True, troubles=troubles, has_pods=bool(pods))
    return MpiJobStatus(_under_way(pods, troubles, nodes), finished=False, troubles=troubles, has_pods=bool(pods))


def role_of(pod: Mapping[str, Any]) -> str:
    """Return whether a pod is the launcher or a worker."""
    return str((pod.get("metadata", {}).get("labels") or {}).get(_ROLE) or "")


def has_begun(pod: Mapping[str, Any]) -> bool:
    """Return whether a pod's container can have said anything."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return any({"running", "terminated"} & (status.get("state") or {}).keys() for status in statuses)


def _under_way(pods: Sequence[Mapping[str, Any]], troubles: Mapping[str, Trouble], nodes: str) -> State:
    launchers = [pod for pod in pods if role_of(pod) == "launcher"]
    reason = told_together(troubles, len(pods))
    phases = {str((pod.get("status") or {}).get("phase")) for pod in launchers}
    if "Running" in phases:
        return State("RUNNING", reason, nodes)
    if phases & {"Succeeded", "Failed"}:
        return State("COMPLETING", reason, nodes)
    dead = {name: trouble for name, trouble in troubles.items() if trouble.kind == "ended"}
    if dead and not launchers:
        # The operator starts no worker again, and no launcher before all workers are ready: it would wait for ever.
        return State("FAILED", f"before the test began, {told_together(dead, len(pods))}", nodes)
    if not pods:
        return State("PENDING", _NO_PODS)
    if any(trouble.kind == "unschedulable" for trouble in troubles.values()):
        return State("PENDING", reason)
    return State("CONFIGURING", reason, nodes)


def _why_failed(condition: Mapping[str, Any], troubles: Mapping[str, Trouble], pods: int) -> str:
    """Return how the pods have ended, or what the operator says where they do not tell."""
    ended = {name: trouble for name, trouble in troubles.items() if trouble.kind == "ended"}
    told = told_together(ended, pods)
    reason, message = str(condition.get("reason") or ""), " ".join(str(condition.get("message") or "").split())
    # What a time limit has ended did not end by itself.
    if told and not reason.startswith("DeadlineExceeded"):
        return told
    return ": ".join(one for one in (reason, message.rstrip(": "), told) if one)


def _short_name(pod: Mapping[str, Any]) -> str:
    """Return launcher or worker-0: without the name of the job, and the letters that tell launchers apart."""
    name = str(pod.get("metadata", {}).get("name") or "")
    role = role_of(pod)
    return f"worker-{name.rpartition('-')[2]}" if role == "worker" else role or name
