"""How an MPIJob is, from what its operator says of it and from its pods.

https://github.com/kubeflow/mpi-operator/blob/v0.7.0/pkg/controller/mpi_job_controller.go
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from trainyard.foreign_text import quoted, reason_and_message, word_or_quoted
from trainyard.submission.scheduler import JobState

# Labels that the operator gives its pods.
JOB_NAME = "training.kubeflow.org/job-name"
_ROLE = "training.kubeflow.org/job-role"
_NO_PODS = "the MPI operator has made no pods for it yet"
Kind = Literal["unschedulable", "image", "container", "starting", "ended"]

# https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/types.go
_IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
          "RegistryUnavailable", "SignatureValidationFailed")  # fmt: skip
_STARTING = ("ContainerCreating", "PodInitializing")
_MOST_NAMED = 3


class MpiJobStatus(NamedTuple):
    """A look at an MPIJob."""

    state: JobState
    finished: bool
    """Whether the operator has ended it, and its nodes are free."""
    troubles: Mapping[str, PodProblem]
    """By pod, such as worker-0."""
    has_pods: bool


def mpi_job_status(mpi_job: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> MpiJobStatus:
    """Return how an MPIJob is."""
    conditions = {
        condition["type"]: condition
        for condition in (mpi_job.get("status") or {}).get("conditions") or ()
        if condition.get("status") == "True" and "type" in condition
    }
    troubles = {_short_name(pod): trouble for pod in pods if (trouble := trouble_of(pod)) is not None}
    workers = [pod for pod in pods if role_of(pod) == "worker"]
    nodes = nodes_of(workers)
    if "Succeeded" in conditions:
        return MpiJobStatus(JobState("COMPLETED", "", nodes), finished=True, troubles=troubles, has_pods=bool(pods))
    if "Failed" in conditions:
        reason = _why_failed(conditions["Failed"], troubles, len(pods))
        return MpiJobStatus(JobState("FAILED", reason, nodes), finished=True, troubles=troubles, has_pods=bool(pods))
    return MpiJobStatus(_under_way(pods, troubles, nodes), finished=False, troubles=troubles, has_pods=bool(pods))


def role_of(pod: Mapping[str, Any]) -> str:
    """Return whether a pod is the launcher or a worker."""
    return str((pod.get("metadata", {}).get("labels") or {}).get(_ROLE) or "")


def has_begun(pod: Mapping[str, Any]) -> bool:
    """Return whether a pod's container can have said anything."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    return any({"running", "terminated"} & (status.get("state") or {}).keys() for status in statuses)


def _under_way(pods: Sequence[Mapping[str, Any]], troubles: Mapping[str, PodProblem], nodes: str) -> JobState:
    launchers = [pod for pod in pods if role_of(pod) == "launcher"]
    reason = problem_summary(troubles, len(pods))
    phases = {str((pod.get("status") or {}).get("phase")) for pod in launchers}
    if "Running" in phases:
        return JobState("RUNNING", reason, nodes)
    if phases & {"Succeeded", "Failed"}:
        return JobState("COMPLETING", reason, nodes)
    dead = {name: trouble for name, trouble in troubles.items() if trouble.kind == "ended"}
    if dead and not launchers:
        # The operator starts no worker again, and no launcher before all workers are ready: it would wait for ever.
        return JobState("FAILED", f"before the test began, {problem_summary(dead, len(pods))}", nodes)
    if not pods:
        return JobState("PENDING", _NO_PODS)
    if any(trouble.kind == "unschedulable" for trouble in troubles.values()):
        return JobState("PENDING", reason)
    return JobState("CONFIGURING", reason, nodes)


def _why_failed(condition: Mapping[str, Any], troubles: Mapping[str, PodProblem], pods: int) -> str:
    """Return how the pods have ended, or what the operator says where they do not tell."""
    ended = {name: trouble for name, trouble in troubles.items() if trouble.kind == "ended"}
    from_pods = problem_summary(ended, pods)
    reason, message = str(condition.get("reason") or ""), " ".join(str(condition.get("message") or "").split())
    # What a time limit has ended did not end by itself.
    if from_pods and not reason.startswith("DeadlineExceeded"):
        return from_pods
    return ": ".join(part for part in (reason_and_message(reason, message.rstrip(": ")), from_pods) if part)


def _short_name(pod: Mapping[str, Any]) -> str:
    """Return launcher or worker-0: without the name of the job, and the letters that tell launchers apart."""
    name = str(pod.get("metadata", {}).get("name") or "")
    role = role_of(pod)
    return f"worker-{name.rpartition('-')[2]}" if role == "worker" else role or name


class PodProblem(NamedTuple):
    """What is the matter with a pod."""

    kind: Kind
    words: str


def trouble_of(pod: Mapping[str, Any]) -> PodProblem | None:
    """Return what is the matter with a pod, None where it runs or has ended well."""
    status = pod.get("status") or {}
    if status.get("phase") == "Failed":
        return PodProblem("ended", next(_endings(status), None) or _condition_text(status, "Failed"))
    if (ended := next(_endings(status), None)) is not None:
        return PodProblem("ended", ended)
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return PodProblem("unschedulable", _condition_text(condition, "Unschedulable"))
    return next(_waiting(status), None)


def nodes_of(pods: Sequence[Mapping[str, Any]]) -> str:
    """Return on which nodes pods are, the first of them by name."""
    names = [str((pod.get("spec") or {}).get("nodeName") or "").partition(".")[0] for pod in pods]
    return _some([name for name in dict.fromkeys(names) if name])


def problem_summary(troubles: Mapping[str, PodProblem], of: int) -> str:
    """Return the troubles of pods by name, each once with the pods that it holds for, of so many."""
    pods: dict[str, list[str]] = {}
    for name, trouble in troubles.items():
        pods.setdefault(trouble.words, []).append(name)
    return "; ".join(
        f"{'all pods' if len(names) == of > 1 else _some(names)}: {words}" for words, names in pods.items()
    )


def _endings(status: Mapping[str, Any]) -> Iterator[str]:
    """Yield how containers have ended that have not ended well."""
    # Evicted, NodeLost, UnexpectedAdmissionError and the like are said of the whole pod.
    if status.get("phase") == "Failed" and status.get("reason"):
        yield _condition_text(status, "Failed")
    for container in _containers(status):
        ended = (container.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            reason = ended.get("reason") or "Error"
            code = f"exit code {ended['exitCode']}"
            yield ": ".join([*([word_or_quoted(reason)] if reason != "Error" else []), code, *_message(ended)])


def _waiting(status: Mapping[str, Any]) -> Iterator[PodProblem]:
    for container in _containers(status):
        waiting = (container.get("state") or {}).get("waiting")
        if waiting is None:
            continue
        reason = str(waiting.get("reason") or "ContainerCreating")
        kind: Kind = "image" if reason in _IMAGE else "starting" if reason in _STARTING else "container"
        if kind == "starting":
            yield PodProblem(kind, reason)
            continue
        # The two take turns for the same image.
        shown = "ImagePullBackOff" if reason == "ErrImagePull" else reason
        image = [word_or_quoted(str(container["image"]))] if kind == "image" and container.get("image") else []
        yield PodProblem(kind, ": ".join([word_or_quoted(shown), *(image or _message(waiting))]))


def _containers(status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _condition_text(condition: Mapping[str, Any], otherwise: str) -> str:
    return ": ".join([word_or_quoted(str(condition.get("reason") or otherwise)), *_message(condition)])


def _message(condition: Mapping[str, Any]) -> list[str]:
    message = " ".join(str(condition.get("message") or "").split())
    return [quoted(message)] if message else []


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
