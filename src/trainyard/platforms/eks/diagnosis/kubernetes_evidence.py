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
    for one in sorted(telling, key=_at)[-_MOST_EVENTS:]:
        about = part(one, "involvedObject") or part(one, "regarding")
        place = "/".join(word for key in ("kind", "namespace", "name") if (word := text(about, key)))
        node = text(about, "name") if text(about, "kind") == "Node" else text(one, "source", "host")
        words = f"{text(one, 'type')} {text(one, 'reason')} {place} {text(one, 'message') or text(one, 'note')}"
        yield line(_at(one), node, words)


def pod_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield what keeps pods from running, and how containers ended, in the words of `kubectl describe`."""
    for document in documents:
        node = text(document, "spec", "nodeName")
        who = f"pod {text(document, 'metadata', 'namespace')}/{text(document, 'metadata', 'name')}"
        yield from _of_pod(document, node, who)
        for key in ("initContainerStatuses", "containerStatuses"):
            for one in parts(document, "status", key):
                yield from _of_container(one, node, f"{who} container {text(one, 'name')}")


def _of_pod(document: Document, node: str, who: str) -> Iterator[str]:
    if text(document, "status", "phase") == "Failed" and (reason := text(document, "status", "reason")):
        yield line(
            text(document, "status", "startTime"), node, f"{who} Failed {reason} {text(document, 'status', 'message')}"
        )
    for one in parts(document, "status", "conditions"):
        if text(one, "type") == "PodScheduled" and text(one, "status") == "False":
            yield line(text(one, "lastTransitionTime"), node, f"{who} {text(one, 'reason')} {text(one, 'message')}")


def _of_container(one: Document, node: str, who: str) -> Iterator[str]:
    waiting = part(one, "state", "waiting")
    reason = text(waiting, "reason")
    if reason and reason not in ("ContainerCreating", "PodInitializing"):
        yield line("", node, f"{who} Waiting Reason: {reason} {text(waiting, 'message')}")
    for key in ("lastState", "state"):
        ended = part(one, key, "terminated")
        status = ended.get("exitCode")
        if status not in (0, None):
            said = f"Terminated Reason: {text(ended, 'reason')} Exit Code: {status} {text(ended, 'message')}"
            yield line(text(ended, "finishedAt"), node, f"{who} {said}")


def node_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield the conditions of nodes that are not well."""
    for document in documents:
        name = text(document, "metadata", "name")
        for one in parts(document, "status", "conditions"):
            kind, status = text(one, "type"), text(one, "status")
            is_bad = status == "True" if kind in _BAD_WHERE_TRUE else kind.endswith("Ready") and status != "True"
            if is_bad:
                said = f"{kind} {status} {text(one, 'reason')} {text(one, 'message')}"
                yield line(text(one, "lastTransitionTime"), name, f"node {name} {said}")


def job_lines(documents: Iterable[Document]) -> Iterator[str]:
    """Yield how training jobs failed."""
    for document in documents:
        name = f"{text(document, 'metadata', 'namespace')}/{text(document, 'metadata', 'name')}"
        for one in parts(document, "status", "conditions"):
            if text(one, "type") in ("Failed", "Restarting") and text(one, "status") == "True":
                said = f"{text(one, 'type')} {text(one, 'reason')} {text(one, 'message')}"
                yield line(text(one, "lastTransitionTime"), "", f"{text(document, 'kind')} {name} {said}")


def line(at: str, node: str, words: str) -> str:
    """Return a line with its time and its node, as far as they are known."""
    host = node.partition(".")[0]
    return " ".join([*([at] if at else []), *([f"{host}:"] if host.startswith("ip-") else []), *words.split()])


def _at(event: Document) -> str:
    series = text(event, "series", "lastObservedTime")
    keys = ("lastTimestamp", "eventTime", "deprecatedLastTimestamp", "firstTimestamp")
    told = [text(event, key) for key in keys]
    return next((one for one in (series, *told) if one), text(event, "metadata", "creationTimestamp"))
