"""The real ParallelCluster in every version that a deployment asks for, each started once and ended at the end."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from trainyard.edge.aws.account import Account
from trainyard.edge.pcluster_command import Pcluster
from trainyard.edge.pcluster_environment import environment


class ParallelClusters:
    """Gives the ParallelCluster of a version. Use it in a ``with``."""

    def __init__(self, account: Account, report: Callable[[str], None] = lambda _: None) -> None:
        """Take the account that it works on. ``report`` hears about an environment that has to be made first."""
        self._account = account
        self._report = report
        self._running: dict[str, Pcluster] = {}

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End them all."""
        for parallelcluster in self._running.values():
            parallelcluster.close()

    def of(self, version: str) -> Pcluster:
        """Return it, started but perhaps not ready yet. Raises TrainyardError where it cannot be installed."""
        if version not in self._running:
            self._running[version] = Pcluster(environment(version, self._report), self._account)
            self._running[version].start()
        return self._running[version]
