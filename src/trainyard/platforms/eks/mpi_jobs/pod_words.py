"""What holds a pod of Kubernetes up, or has ended it, in few words.

https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

Kind = Literal["unschedulable", "image", "container", "starting", "ended"]

# https://github.com/kubernetes/kubernetes/blob/master/pkg/kubelet/images/types.go
_IMAGE = ("ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
          "RegistryUnavailable", "SignatureValidationFailed")  # fmt: skip
_STARTING = ("ContainerCreating", "PodInitializing")
_MOST_LETTERS = 300
_MOST_NAMED = 3


class Trouble(NamedTuple):
    """What is the matter with a pod."""

    kind: Kind
    words: str


def trouble_of(pod: Mapping[str, Any]) -> Trouble | None:
    """Return what is the matter with a pod, None where it runs or has ended well."""
    status = pod.get("status") or {}
    if status.get("phase") == "Failed":
        return Trouble("ended", _shortened(next(_endings(status), None) or _said(status, "Failed")))
    if (ended := next(_endings(status), None)) is not None:
        return Trouble("ended", _shortened(ended))
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False":
            return Trouble("unschedulable", _shortened(_said(condition, "Unschedulable")))
    return next(_waiting(status), None)


def nodes_of(pods: Sequence[Mapping[str, Any]]) -> str:
    """Return on which nodes pods are, the first of them by name."""
    names = [str((pod.get("spec") or {}).get("nodeName") or "").partition(".")[0] for pod in pods]
    return _some([name for name in dict.fromkeys(names) if name])


def told_together(troubles: Mapping[str, Trouble], of: int) -> str:
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
        yield _said(status, "Failed")
    for container in _containers(status):
        ended = (container.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            reason = ended.get("reason") or "Error"
            code = f"exit code {ended['exitCode']}"
            yield ": ".join([*([reason] if reason != "Error" else []), code, *_message(ended)])


def _waiting(status: Mapping[str, Any]) -> Iterator[Trouble]:
    for container in _containers(status):
        waiting = (container.get("state") or {}).get("waiting")
        if waiting is None:
            continue
        reason = str(waiting.get("reason") or "ContainerCreating")
        kind: Kind = "image" if reason in _IMAGE else "starting" if reason in _STARTING else "container"
        if kind == "starting":
            yield Trouble(kind, reason)
            continue
        # The two take turns for the same image.
        shown = "ImagePullBackOff" if reason == "ErrImagePull" else reason
        image = [str(container["image"])] if kind == "image" and container.get("image") else []
        yield Trouble(kind, _shortened(": ".join([shown, *(image or _message(waiting))])))


def _containers(status: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from status.get("initContainerStatuses") or ()
    yield from status.get("containerStatuses") or ()


def _said(one: Mapping[str, Any], otherwise: str) -> str:
    return ": ".join([str(one.get("reason") or otherwise), *_message(one)])


def _message(one: Mapping[str, Any]) -> list[str]:
    message = " ".join(str(one.get("message") or "").split())
    return [message] if message else []


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]} …"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
