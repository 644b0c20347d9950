"""What the Kubernetes API of a cluster says, as lines: events, pods that do not run, nodes and jobs that are ill."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard.edge.kubernetes.documents import Document, part, parts, text

# Conditions of nodes: bad where they are True, and those of Ready and of EKS's monitoring agent where they are not.
# https://docs.aws.amazon.com/eks/latest/userguide/node-health-nma.html
_BAD_WHERE_TRUE = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable")
# Normal events that tell of trouble all the same.
_TELLING = ("NodeNotReady", "Killing", "Preempted", "Evicted", "RemovingNode", "DeletingNode")
_MOST_EVENTS = 5000


def event_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the events that warn, the oldest first.

    https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
    """
    telling = [
        document for document in documents if text(document, "type") != "Normal" or text(document, "reason") in _TELLING
    ]
    for event in sorted(telling, key=_at)[-_MOST_EVENTS:]:
        about = part(event, "involvedObject") or part(event, "regarding")
        place = "/".join(word for key in ("kind", "namespace", "name") if (word := text(about, key)))
        node = text(about, "name") if text(about, "kind") == "Node" else text(event, "source", "host")
        words = f"{text(event, 'type')} {text(event, 'reason')} {place} {text(event, 'message') or text(event, 'note')}"
        yield line(_at(event), node, words)


def pod_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield what keeps pods from running, and how containers ended, in the words of `kubectl describe`."""
    for document in documents:
        node = text(document, "spec", "nodeName")
        who = f"pod {text(document, 'metadata', 'namespace')}/{text(document, 'metadata', 'name')}"
        yield from _of_pod(document, node, who)
        for key in ("initContainerStatuses", "containerStatuses"):
            for container_status in parts(document, "status", key):
                yield from _of_container(container_status, node, f"{who} container {text(container_status, 'name')}")


def _of_pod(document: Document, node: str, who: str) -> Iterator[str]:
    if text(document, "status", "phase") == "Failed" and (reason := text(document, "status", "reason")):
        yield line(
            text(document, "status", "startTime"), node, f"{who} Failed {reason} {text(document, 'status', 'message')}"
        )
    for condition in parts(document, "status", "conditions"):
        if text(condition, "type") == "PodScheduled" and text(condition, "status") == "False":
            yield line(
                text(condition, "lastTransitionTime"),
                node,
                f"{who} {text(condition, 'reason')} {text(condition, 'message')}",
            )


def _of_container(container: Document, node: str, who: str) -> Iterator[str]:
    waiting = part(container, "state", "waiting")
    reason = text(waiting, "reason")
    if reason and reason not in ("ContainerCreating", "PodInitializing"):
        yield line("", node, f"{who} Waiting Reason: {reason} {text(waiting, 'message')}")
    for key in ("lastState", "state"):
        ended = part(container, key, "terminated")
        status = ended.get("exitCode")
        if status not in (0, None):
            message = f"Terminated Reason: {text(ended, 'reason')} Exit Code: {status} {text(ended, 'message')}"
            yield line(text(ended, "finishedAt"), node, f"{who} {message}")


def node_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the conditions of nodes that are not well."""
    for document in documents:
        name = text(document, "metadata", "name")
        for condition in parts(document, "status", "conditions"):
            kind, status = text(condition, "type"), text(condition, "status")
            is_bad = status == "True" if kind in _BAD_WHERE_TRUE else kind.endswith("Ready") and status != "True"
            if is_bad:
                message = f"{kind} {status} {text(condition, 'reason')} {text(condition, 'message')}"
                yield line(text(condition, "lastTransitionTime"), name, f"node {name} {message}")


def job_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield how training jobs failed."""
    for document in documents:
        name = f"{text(document, 'metadata', 'namespace')}/{text(document, 'metadata', 'name')}"
        for condition in parts(document, "status", "conditions"):
            if text(condition, "type") in ("Failed", "Restarting") and text(condition, "status") == "True":
                message = f"{text(condition, 'type')} {text(condition, 'reason')} {text(condition, 'message')}"
                yield line(text(condition, "lastTransitionTime"), "", f"{text(document, 'kind')} {name} {message}")


def line(at: str, node: str, words: str) -> str:
    """Return a line with its time and its node, as far as they are known."""
    host = node.partition(".")[0]
    return " ".join([*([at] if at else []), *([f"{host}:"] if host.startswith("ip-") else []), *words.split()])


def _at(event: Document) -> str:
    series = text(event, "series", "lastObservedTime")
    keys = ("lastTimestamp", "eventTime", "deprecatedLastTimestamp", "firstTimestamp")
    times = [text(event, key) for key in keys]
    return next(
        (time_text for time_text in (series, *times) if time_text), text(event, "metadata", "creationTimestamp")
    )
