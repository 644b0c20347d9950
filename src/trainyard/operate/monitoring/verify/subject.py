"""What there is to verify: a spec, whoever keeps its metrics, and, where there is one, the account that it runs in."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from trainyard.edge.prometheus_api import Sample
from trainyard.monitoring.exporters import Exporter, exporters
from trainyard.operate.monitoring.verify.in_account import InAccount
from trainyard.spec.cluster import Spec


class Keeper(Protocol):
    """Whoever keeps the metrics, as far as it is asked: `edge/prometheus_api.py` is one."""

    url: str

    def query(self, expr: str, at_s: float | None = None) -> list[Sample]:
        """Return what an expression gives, by default now."""

    def rules(self) -> list[dict[str, Any]]:
        """Return the groups of rules, each with its rules and their state."""

    def expect_ready(self) -> None:
        """Raise TrainyardError where it does not answer."""


@dataclass
class Situation:
    """All that checks may look at. What several of them ask for is asked once."""

    spec: Spec
    keeper: Keeper
    account: InAccount | None = None
    """None where only a spec and a Prometheus are compared."""
    opens_grafana: bool = False
    """Whether a token of Amazon Managed Grafana may be made, and deleted again, to look at the dashboards there."""
    looked_at: Counter[str] = field(default_factory=Counter)
    """How much of what was looked at, for those who want to know what "good" means."""

    @property
    def cluster(self) -> str:
        """Return the matcher of what belongs to the cluster, without braces."""
        return f"cluster={json.dumps(self.spec.name)}"

    @cached_property
    def exporters(self) -> tuple[Exporter, ...]:
        """Return what runs on nodes, by the spec."""
        return exporters(self.spec)

    @cached_property
    def targets(self) -> Sequence[Sample]:
        """Return `up` of everything that is scraped: 1 where it answers, 0 where it does not."""
        return self.keeper.query(f"up{{{self.cluster}}}")

    @cached_property
    def now(self) -> float:
        """Return the time by the keeper's clock, which is that of its samples, in seconds since 1970."""
        return self.keeper.query("time()")[0].value

    def values(self, expr: str) -> Sequence[Sample]:
        """Return what an expression gives now."""
        return self.keeper.query(expr)
