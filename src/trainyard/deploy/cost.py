"""What a cluster will cost an hour, at list prices and as far as they are known."""

from __future__ import annotations

from dataclasses import dataclass

from trainyard.deploy.cost_line import Line
from trainyard.deploy.cost_of_dashboards import dashboard_lines
from trainyard.deploy.cost_of_metrics import metric_lines
from trainyard.deploy.cost_of_nodes import node_lines
from trainyard.deploy.cost_of_services import monitoring_lines, network_lines
from trainyard.deploy.cost_of_storage import storage_lines
from trainyard.platforms.batch.cost import batch_lines
from trainyard.platforms.eks.cost import eks_lines
from trainyard.spec.cluster import Spec

# What no estimate can know beforehand. It is part of every bill and of no line.
NOT_COUNTED = "traffic, S3, CloudWatch logs and detailed monitoring, backups, requests, Secrets Manager and KMS"
CAVEAT = (
    "List prices of the dates that the sources name. They change, and discounts, plans and taxes differ by account."
)


@dataclass(frozen=True, slots=True)
class Cost:
    """An estimate. Where a price is unknown, a total is an "at least", and its line is there to say so."""

    lines: tuple[Line, ...]

    @property
    def least_usd_per_hour(self) -> float:
        """With every queue at its fewest nodes; reservations count whole."""
        return sum(line.least_usd_per_hour or 0 for line in self.lines)

    @property
    def most_usd_per_hour(self) -> float:
        """With every queue at its most nodes."""
        return sum(line.most_usd_per_hour or 0 for line in self.lines)

    @property
    def unknown(self) -> tuple[Line, ...]:
        """The lines without a price, as far as they count anything."""
        return tuple(line for line in self.lines if line.usd_per_hour_each is None and line.most > 0)


def hourly_cost(spec: Spec) -> Cost:
    """Return what the cluster and the stacks beside it cost an hour while they exist."""
    nodes = () if spec.is_environment else (*node_lines(spec), *metric_lines(spec), *dashboard_lines(spec))
    return Cost(
        (
            *nodes,
            *batch_lines(spec),
            *eks_lines(spec),
            *storage_lines(spec),
            *network_lines(spec),
            *monitoring_lines(spec),
        )
    )
