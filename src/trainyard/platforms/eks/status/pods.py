"""Pods that do not run: those that wait, and why, and those that end again and again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard.edge.kubernetes.documents import Document, number, part, parts, seconds, text
from trainyard.foreign_text import quoted, reason_and_message, word_or_quoted
from trainyard.operate.status.failures import Failure, short
from trainyard.platforms.eks.status.eks_status import PodTrouble

# What a container that is only starting waits for, and how long that may take: images of GPU jobs have 20 GiB.
# https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-state-waiting
_STARTING, _STARTS_WITHIN_S = ("ContainerCreating", "PodInitializing"), 600
_LATELY_S = 86_400
_MOST_FAILED = 5
_LONGEST = 300
_MOST_SAID = 160


def pod_troubles(documents: Iterable[Document], now_s: float) -> tuple[PodTrouble, ...]:
    """Return the pods that do not run, those that were made first first."""
    troubles = [trouble for document in documents if (trouble := pod_trouble(document, now_s)) is not None]
    return tuple(sorted(troubles, key=lambda trouble: (trouble.since or "", trouble.namespace, trouble.name)))


def pod_trouble(document: Document, now_s: float) -> PodTrouble | None:
    """Return what keeps a pod from running; None where nothing does, or it is over."""
    phase = text(document, "status", "phase")
    if phase not in ("Pending", "Running", "Unknown"):
        return None
    state, why = _waits(document) or _ends(document) or ("", "")
    created = seconds(text(document, "metadata", "creationTimestamp"))
    if state in _STARTING and created is not None and now_s - created < _STARTS_WITHIN_S:
        return None
    if not state and phase != "Running":
        state, why = phase, _both_ends(text(document, "status", "message") or text(document, "status", "reason"))
    if not state:
        return None
    restarts = sum(number(container, "restartCount") for container in containers(document))
    since = text(document, "metadata", "creationTimestamp")
    return PodTrouble(*_named(document), word_or_quoted(state), why, since, restarts)


def _both_ends(why: str) -> str:
    """Return a quotation, cut in its middle: why an image was not pulled stands after its name, told twice."""
    why = " ".join(why.split())
    shown = why if len(why) <= _LONGEST else f"{why[: _LONGEST // 2]} … {why[-_LONGEST // 2 :]}"
    return quoted(shown, 2 * _LONGEST) if shown else ""


def failed_pods(documents: Iterable[Document], now_s: float) -> tuple[Failure, ...]:
    """Return the pods that failed in the last day, those that say the same as one; the last first."""
    failures: dict[tuple[str, str], Failure] = {}
    failed = [(document, _ended(document)) for document in documents if text(document, "status", "phase") == "Failed"]
    for document, at in sorted(failed, key=lambda item: item[1]):
        if (seconds(at) or now_s) < now_s - _LATELY_S:
            continue
        namespace, name, _ = _named(document)
        owner = next(
            (text(owner_reference, "name") for owner_reference in parts(document, "metadata", "ownerReferences")), name
        )
        what = end_of(document)
        before = failures.pop((owner, what), None)
        times = before.times + 1 if before else 1
        failures[owner, what] = Failure(at or None, f"pod {namespace}/{name}", short(what), times)
    return tuple(failures.values())[::-1][:_MOST_FAILED]


def end_of(document: Document) -> str:
    """Return how a pod ended."""
    said = reason_and_message(text(document, "status", "reason"), text(document, "status", "message"))
    ends = [
        f"container {text(container, 'name')} {terminated}"
        for container in containers(document)
        if (terminated := _terminated(part(container, "state", "terminated")))
    ]
    return "; ".join([said] * bool(said) + ends) or "it failed and says nothing"


def containers(document: Document) -> list[Document]:
    """Return the states of all containers of a pod, those that prepare it first."""
    return [*parts(document, "status", "initContainerStatuses"), *parts(document, "status", "containerStatuses")]


def _named(document: Document) -> tuple[str, str, str | None]:
    node = text(document, "spec", "nodeName") or None
    return text(document, "metadata", "namespace"), text(document, "metadata", "name"), node


def _waits(document: Document) -> tuple[str, str] | None:
    """Return the word and the reason of a pod that found no node, or of its first container that waits."""
    for condition in parts(document, "status", "conditions"):
        if text(condition, "type") == "PodScheduled" and text(condition, "status") == "False":
            return text(condition, "reason") or "Pending", _both_ends(text(condition, "message"))
    for container in containers(document):
        waiting = part(container, "state", "waiting")
        if reason := text(waiting, "reason"):
            last = _terminated(part(container, "lastState", "terminated"))
            return reason, "; ".join(_container_words(container, text(waiting, "message"), last))
    return None


def _container_words(container: Document, message: str, last: str) -> Iterator[str]:
    # It holds the name of an image as whoever made the pod wrote it.
    yield f"container {text(container, 'name')}{f': {_both_ends(message)}' if message else ''}"
    if last:
        yield f"it {last} the last time"


def _ends(document: Document) -> tuple[str, str] | None:
    """Return the word for a running pod of which a container was ended for its memory."""
    for container in containers(document):
        last = part(container, "lastState", "terminated")
        if text(last, "reason") == "OOMKilled":
            return "OOMKilled", f"container {text(container, 'name')} {_terminated(last)} the last time"
    return None


def _terminated(end: Document) -> str:
    """Return how a container ended; an empty text where it ended well, or not at all."""
    reason, status = text(end, "reason"), number(end, "exitCode")
    if not end or (reason == "Completed" and not status):
        return ""
    message = text(end, "message")
    words = f": {quoted(message, _MOST_SAID)}" if message else ""
    return f"ended with {word_or_quoted(reason) if reason else 'an error'}, exit status {status}{words}"


def _ended(document: Document) -> str:
    ends = [text(container, "state", "terminated", "finishedAt") for container in containers(document)]
    return max(ends, default="") or text(document, "status", "startTime")
