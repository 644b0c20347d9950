"""A rehearsal on AWS ParallelCluster: the real one works on the emulated account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.platforms.parallelcluster.deployment.programs import ParallelClusters
from trainyard.rehearsal.programs import NoPrograms, same_account
from trainyard.rehearsal.report.conditions import Condition, has_efa, has_official_image
from trainyard.spec.cluster import Spec

CONDITIONS: Mapping[str, Condition] = {
    "official_image": has_official_image,
    "parallelcluster": lambda _: True,
    "parallelcluster_efa": has_efa,
}
STRIKES = frozenset({"resource", "launch", "head", "nodes"})
with_programs = same_account


class RealParallelCluster(NoPrograms):
    """One process for the deployment and both destructions."""

    def __init__(self, parallelclusters: ParallelClusters) -> None:
        """Take the processes, by version."""
        self._parallelclusters = parallelclusters

    def equip(self, work: Work) -> None:
        """Give a deployment the ParallelCluster of its version."""
        work.parallelcluster = self._parallelclusters.of


@contextmanager
def programs(account: Account, spec: Spec, report: Callable[[str], None]) -> Iterator[RealParallelCluster]:
    """Start the ParallelCluster of the spec's version, so that it is ready when the first command comes."""
    with ParallelClusters(account, report) as parallelclusters:
        parallelclusters.of(spec.parallelcluster.version)
        yield RealParallelCluster(parallelclusters)


def jobs() -> DeploymentStep | None:
    """Return None: no Slurm runs in an emulated account."""
    return None


def archive_files(work: Work) -> Iterator[tuple[str, str]]:
    """Yield nothing beyond the logs of the cluster, which have what every node says."""
    del work
    yield from ()
