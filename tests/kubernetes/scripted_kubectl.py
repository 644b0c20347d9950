"""A kubectl in this process, on an API server in memory: for tests of what is made of its answers.

Where answers are those of a cluster that goes well, tests take the kubectl of rehearsals; this one records what it was
asked, and fails as a test says, in the words that the real one is read by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from tests.kubernetes.api_server import FakeApiServer, RefusedError
from trainyard.edge.kubernetes.refusals import refusal

Answer = TypeVar("Answer")


class ScriptedKubectl:
    """Has the methods of Kubectl, and ``api`` to be filled. ``asked`` has what it was asked, in order."""

    def __init__(self, api: FakeApiServer | None = None, cluster: str = "llm") -> None:
        self.api = api or FakeApiServer()
        self.asked: list[tuple[Any, ...]] = []
        self._cluster = cluster

    def get(self, resource: str, *, namespace: str | None = None, selector: str | None = None) -> list[dict[str, Any]]:
        self.asked.append(("get", resource, namespace, selector))
        return self._done(f"list {resource}", lambda: self.api.get(resource, namespace, selector))

    def apply(self, documents: Sequence[Mapping[str, Any]], *, force_conflicts: bool = False) -> list[str]:
        self.asked.append(("apply", [document["metadata"]["name"] for document in documents], force_conflicts))
        made = [dict(document) for document in documents]
        return self._done("apply", lambda: self.api.apply(made, force_conflicts=force_conflicts))

    def delete(self, documents: Sequence[Mapping[str, Any]]) -> list[str]:
        self.asked.append(("delete", [document["metadata"]["name"] for document in documents]))
        return self._done("delete", lambda: self.api.delete([dict(document) for document in documents]))

    def drain(self, node: str) -> list[str]:
        self.asked.append(("drain", node))
        return self._done(f"drain {node}", lambda: self.api.drain(node))

    def logs(  # noqa: PLR0913  as the protocol
        self,
        pod: str,
        namespace: str,
        *,
        container: str | None = None,
        previous: bool = False,
        since_s: int | None = None,
        since: str | None = None,
        follow: bool = False,
        tail: int | None = None,
        timestamps: bool = False,
    ) -> Iterator[str]:
        self.asked.append(("logs", pod, namespace, container, previous, since_s, since, follow, tail, timestamps))
        lines = self._done(
            f"read the log of {pod}", lambda: self.api.log(pod, namespace, container, since=since, stamped=timestamps)
        )
        yield from lines if tail is None else lines[-tail:]

    def forward(self, target: str, namespace: str, ports: str) -> int:
        self.asked.append(("forward", target, namespace, ports))
        return 0

    def server_version(self) -> str:
        self.asked.append(("version",))
        return self._done("ask for its version", self.api.server_version)

    @contextmanager
    def of(self, *_: Any) -> Iterator[ScriptedKubectl]:
        """Give itself where kubectl_of is asked for, whatever the account and the cluster."""
        yield self

    def _done(self, doing: str, do: Callable[[], Answer]) -> Answer:
        try:
            return do()
        except RefusedError as error:
            raise refusal(doing, self._cluster, 1, str(error).splitlines()) from error
