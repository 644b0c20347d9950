"""How much metrics a cluster makes: series, samples a second, and the memory of Prometheus."""

from __future__ import annotations

from dataclasses import dataclass

from trainyard.monitoring.exporters import exporters
from trainyard.monitoring.node_series import agent_series, compute_series, facts, head_series, plain_series, total
from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec


@dataclass(frozen=True, slots=True)
class Sizing:
    """What the metrics of a cluster amount to. None is unknown: of some instance type the catalog says too little."""

    nodes: int
    """Nodes that are scraped: compute nodes, and on ParallelCluster the head node and login nodes."""
    series: int | None

    @property
    def samples_per_s(self) -> float | None:
        """Every series has a sample each time that it is scraped."""
        return None if self.series is None else self.series / SCRAPE_INTERVAL_S

    @property
    def server_memory_mib(self) -> float | None:
        """What a Prometheus that keeps the series needs, at its source's worst-case assumptions, without queries.

        The agent of the AMP modes keeps no samples and was measured to need half of it: benchmarks/README.md.
        """
        if self.series is None or self.samples_per_s is None:
            return None
        memory = facts("memory")
        samples = self.samples_per_s * 3600 * memory["hours"]
        held: float = self.series * memory["bytes_a_series"] + samples * memory["bytes_a_sample"]
        needed: float = held * (1 + memory["remote_write_share"]) / 2**20
        return needed


def sizings(spec: Spec) -> tuple[Sizing, Sizing]:
    """Return what there is at least and at most: with every queue at its fewest nodes, and at its most."""
    return _sizing(spec, least=True), _sizing(spec, least=False)


def _sizing(spec: Spec, *, least: bool) -> Sizing:
    if not exporters(spec):
        return Sizing(0, 0)
    logins = [(plain_series(spec, pool.instance_type), pool.count) for _, pool in spec.login_pools()]
    computes = [
        (compute_series(spec, group), group.min_nodes if least else group.max_nodes) for group in spec.node_groups()
    ]
    parts = [0 if count == 0 else None if each is None else each * count for each, count in (*logins, *computes)]
    # Elsewhere than on a head node, the agent's own series are all that comes on top.
    heads, own = (1, head_series(spec)) if platform_of(spec).has_head_node else (0, agent_series())
    return Sizing(heads + sum(count for _, count in (*logins, *computes)), total([own, *parts]))
