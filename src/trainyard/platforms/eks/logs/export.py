"""What an archive of an EKS cluster has beside CloudWatch's logs: pods' logs, and what Kubernetes says of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from trainyard.counts import count_text
from trainyard.edge.aws.account import Account
from trainyard.edge.kubernetes.kubectl import Kubectl, KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.edge.new_archive import NewArchive
from trainyard.errors import TrainyardError
from trainyard.foreign_text import word_or_quoted
from trainyard.operate.logs.cluster_log import Stream
from trainyard.operate.logs.export import KubernetesLogs
from trainyard.operate.logs.log_filter import LogSelection
from trainyard.operate.logs.period import Period
from trainyard.platforms.eks.logs.pods import pod_streams
from trainyard.platforms.eks.logs.stream_name import PodStreamName
from trainyard.platforms.eks.status.kubernetes_api import RESOURCES
from trainyard.stop_request import results_of

_AT_ONCE = 4
_MOST_CONTAINERS = 1000
_MOST_LINES = 100_000
# An annotation that repeats all that was applied.
_WHOLE_OBJECT = "kubectl.kubernetes.io/last-applied-configuration"
# No Secrets and no ConfigMaps: an archive is handed on.
_KINDS = ("events", "pods", "nodes", "daemonsets", "deployments", *RESOURCES)


@dataclass
class KubernetesPart:
    """The part of one archive."""

    account: Account
    cluster: str
    of: Period
    selection: LogSelection = field(default_factory=LogSelection)
    report: Callable[[str], None] = lambda _: None
    kubectl_of: KubectlOf = kubectl_of

    def add(self, archive: NewArchive, folder: str) -> KubernetesLogs:
        """Add it, and return what was added."""
        try:
            with self.kubectl_of(self.account, self.cluster) as kubectl:
                return self._add(kubectl, archive, folder)
        except TrainyardError as error:
            return KubernetesLogs(0, 0, error.problem)

    def _add(self, kubectl: Kubectl, archive: NewArchive, folder: str) -> KubernetesLogs:
        missing = [why for kind in _KINDS if (why := self._add_objects(kubectl, archive, folder, kind)) is not None]
        streams = pod_streams(kubectl.get("pods"), self.selection)
        containers = count = 0
        chosen = streams[:_MOST_CONTAINERS]
        with closing(results_of(lambda stream: (stream, list(self._lines(kubectl, stream))), chosen, _AT_ONCE)) as read:
            for number, (stream, lines) in enumerate(read, start=1):
                containers, count = containers + bool(lines), count + len(lines)
                if lines:
                    self._write(archive, f"{folder}/pods/{_file_name(stream)}.log", lines)
                of = f"{number} of {count_text(len(streams), 'container')}"
                self.report(f"{of}: {word_or_quoted(stream.name)}, {count_text(len(lines), 'line')}")
        if len(streams) > _MOST_CONTAINERS:
            missing.append(f"only {_MOST_CONTAINERS:,} of {len(streams):,} containers were read")
        return KubernetesLogs(containers, count, "; ".join(dict.fromkeys(missing)) or None)

    def _add_objects(self, kubectl: Kubectl, archive: NewArchive, folder: str, kind: str) -> str | None:
        try:
            documents = kubectl.get(kind)
        except TrainyardError as error:
            return None if kind in RESOURCES else error.problem
        document = {"apiVersion": "v1", "kind": "List", "items": [_without_values(document) for document in documents]}
        self._write(archive, f"{folder}/kubernetes/{kind.partition('.')[0]}.json", [json.dumps(document, indent=1)])
        return None

    def _lines(self, kubectl: Kubectl, stream: Stream) -> Iterator[str]:
        """Yield what a container says, after what it said before it was started anew."""
        parts = stream.parts
        assert isinstance(parts, PodStreamName)  # noqa: S101  there are no others
        since_s = None
        if self.of.since_ms is not None:
            since_s = max(int(self.account.clock.now() - self.of.since_ms / 1000), 1)
        for previous in (True, False):
            try:
                yield from kubectl.logs(
                    parts.pod,
                    parts.namespace,
                    container=parts.container,
                    previous=previous,
                    since_s=since_s,
                    tail=_MOST_LINES,
                    timestamps=True,
                )
            except TrainyardError:  # it was never started anew, or is not there any more
                continue

    def _write(self, archive: NewArchive, name: str, lines: list[str]) -> None:
        with archive.part() as content:
            content.writelines(f"{line}\n".encode(errors="replace") for line in lines)
            archive.add(name, content, self.account.clock.now())


def _without_values(value: Any, key: str = "") -> Any:
    """Return an object without the values of its environment variables, among which people keep passwords."""
    if isinstance(value, dict):
        members = {
            name: member
            for name, member in value.items()
            if name != _WHOLE_OBJECT and not (key == "env" and name == "value")
        }
        return {name: _without_values(member, name) for name, member in members.items()}
    return [_without_values(member, key) for member in value] if isinstance(value, list) else value


def _file_name(stream: Stream) -> str:
    """Return namespace, pod and container as a path. The API server lets none of them be called .. or have a slash."""
    safe = (
        "".join(character if character.isprintable() else "-" for character in part).strip(".")
        for part in stream.name.split("/")
    )
    return "/".join(part or "-" for part in safe)
