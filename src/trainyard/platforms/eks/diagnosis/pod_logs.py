"""The logs of pods that failed or end again and again, as far as the kubelet still has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.edge.kubernetes.documents import Document, labels, number, part, parts, text
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.errors import TrainyardError
from trainyard.platforms.eks.diagnosis.eks_files import KubernetesObjects

_MOST_PODS = 24
_MOST_LINES = 5000
_JOB_LABEL = "training.kubeflow.org/job-name"


class Ended(NamedTuple):
    """A container that did not end well, and the pod that it is of."""

    namespace: str
    pod: str
    container: str
    node: str
    previous: bool
    """Whether it was started anew since: what it said before is what tells."""


def pod_log_files(
    kubectl: Kubectl, objects: KubernetesObjects, nodes: tuple[str, ...], unread: list[Unread]
) -> Iterator[LogFile]:
    """Yield the logs of containers that ended badly, those of failed training jobs first; some of them.

    Of ``nodes`` alone, where any are named. What could not be read is added to ``unread``.
    """
    failed = {_name(job) for job in objects.jobs if _has_failed(job)}
    instances = {text(node, "metadata", "name"): text(node, "spec", "providerID") for node in objects.nodes}
    pods = objects.pods
    ended = [one for document in sorted(pods, key=lambda pod: _job(pod) not in failed) for one in _ended(document)]
    wanted = [one for one in ended if not nodes or any(_is_on(one, node) for node in nodes)]
    for one in wanted[:_MOST_PODS]:
        name = f"pods/{one.namespace}/{one.pod}/{_file_name(one, instances)}"
        try:
            lines = list(
                kubectl.logs(
                    one.pod,
                    one.namespace,
                    container=one.container,
                    previous=one.previous,
                    tail=_MOST_LINES,
                    timestamps=True,
                )
            )
        except TrainyardError as error:
            unread.append(Unread(name, error.problem))
            continue
        yield LogFile(name, ["".join(f"{line}\n" for line in lines).encode(errors="replace")])
    if (beyond := len(wanted) - _MOST_PODS) > 0:
        unread.append(Unread(f"{beyond} more containers", "not looked at; `trainyard logs --pod` reads them"))


def _file_name(one: Ended, instances: Mapping[str, str]) -> str:
    """Return what the log of a container is called: with host and instance before it, which say where it was."""
    instance = instances.get(one.node, "").rpartition("/")[2]
    where = f"{one.node.partition('.')[0]}.{instance}." if instance.startswith("i-") else ""
    return f"{where}{one.container}{'.previous' if one.previous else ''}"


def _ended(document: Document) -> Iterator[Ended]:
    namespace, pod = _name(document)
    node = text(document, "spec", "nodeName")
    for key in ("initContainerStatuses", "containerStatuses"):
        for one in parts(document, "status", key):
            now, before = (number(part(one, state, "terminated"), "exitCode") for state in ("state", "lastState"))
            if now or before:
                yield Ended(namespace, pod, text(one, "name"), node, not now)


def _name(document: Document) -> tuple[str, str]:
    return text(document, "metadata", "namespace"), text(document, "metadata", "name")


def _job(pod: Document) -> tuple[str, str]:
    return text(pod, "metadata", "namespace"), text(labels(pod), _JOB_LABEL)


def _has_failed(job: Document) -> bool:
    conditions = parts(job, "status", "conditions")
    return any(text(condition, "type") == "Failed" and text(condition, "status") == "True" for condition in conditions)


def _is_on(ended: Ended, node: str) -> bool:
    return bool(ended.node) and node.partition(".")[0] == ended.node.partition(".")[0]
