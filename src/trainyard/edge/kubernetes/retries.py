"""A kubectl that asks again where an answer was lost or the API server had too much to do, within limits.

kubectl itself tries again only what reads: https://github.com/kubernetes/kubectl/issues/1344. Whatever is asked here
may be asked twice: what is applied on the server is then what the documents say, and what is gone is no error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from trainyard.edge.aws.account import Clock
from trainyard.edge.kubernetes.kubectl import Kubectl
from trainyard.edge.kubernetes.refusals import TransientError

_PAUSES_S = (1.0, 2.0, 4.0, 8.0)
_T = TypeVar("_T")


@dataclass(frozen=True)
class KubectlWithRetries:
    """The kubectl inside, asked up to five times. What may not pass, it is asked once."""

    inner: Kubectl
    clock: Clock

    def get(self, resource: str, *, namespace: str | None = None, selector: str | None = None) -> list[dict[str, Any]]:
        """Return the objects of a kind."""
        return self._retried(lambda: self.inner.get(resource, namespace=namespace, selector=selector))

    def apply(self, documents: Sequence[Mapping[str, Any]], *, force_conflicts: bool = False) -> list[str]:
        """Apply the documents: all at once, and where an answer is lost one by one, so that few are in one call."""
        try:
            return self.inner.apply(documents, force_conflicts=force_conflicts)
        except TransientError:
            return [line for document in documents for line in self._applied(document, force_conflicts=force_conflicts)]

    def delete(self, documents: Sequence[Mapping[str, Any]]) -> list[str]:
        """Delete what the documents name; one by one where an answer is lost."""
        try:
            return self.inner.delete(documents)
        except TransientError:
            return [line for document in documents for line in self._deleted(document)]

    def drain(self, node: str) -> list[str]:
        """Evict the pods of a node."""
        return self._retried(lambda: self.inner.drain(node))

    def logs(self, pod: str, namespace: str, **options: Any) -> Iterator[str]:
        """Yield the lines of a log, which is read once: lines that came already would come again."""
        return self.inner.logs(pod, namespace, **options)

    def forward(self, target: str, namespace: str, ports: str) -> int:
        """Lead ports of this machine into the cluster."""
        return self.inner.forward(target, namespace, ports)

    def server_version(self) -> str:
        """Return the version of the API server."""
        return self._retried(self.inner.server_version)

    def _applied(self, document: Mapping[str, Any], *, force_conflicts: bool) -> list[str]:
        return self._retried(lambda: self.inner.apply([document], force_conflicts=force_conflicts))

    def _deleted(self, document: Mapping[str, Any]) -> list[str]:
        return self._retried(lambda: self.inner.delete([document]))

    def _retried(self, ask: Callable[[], _T]) -> _T:
        for pause_s in _PAUSES_S:
            try:
                return ask()
            except TransientError:
                self.clock.sleep(pause_s)
        return ask()
