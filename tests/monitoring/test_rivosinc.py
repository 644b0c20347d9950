"""`monitoring.slurm_names: rivosinc` adds names: alerts, documented queries and dashboards work as without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.each_case import each_case
from tests.monitoring.promql import named_metrics
from tests.node.collectors.exposed import exposed
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.queries import documented_queries
from trainyard.monitoring.registry import registry

GOLDEN = Path(__file__).parents[1] / "node" / "collectors" / "golden"
ASKED = {
    **{f"alert {alert.id}": alert.expr for alert in alerts()},
    **{f"query {documented_query.id}": documented_query.query for documented_query in documented_queries()},
    **{
        f"panel {dashboard.id}/{panel.id}/{number}": query.expr
        for dashboard in dashboards()
        for panel in dashboard.panels()
        for number, query in enumerate(panel.queries)
    },
}
OF_SLURM = {name: expr for name, expr in ASKED.items() if named_metrics(expr) & set(registry("slurm"))}


@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_whatever_is_exported_by_default_is_exported_under_rivosincs_names_too(version: str):
    default, more = (
        {name for name, _ in exposed((GOLDEN / f"slurm-{version}-{names}.prom").read_text(encoding="utf-8"))}
        for names in ("vpenso", "rivosinc")
    )
    assert default < more
    assert more - default <= set(registry("slurm_rivosinc"))


@each_case(("name", "expr"), OF_SLURM.items(), ids=list(OF_SLURM))
def test_nothing_asks_for_a_name_that_only_rivosincs_exporter_has(name: str, expr: str):
    only = set(registry("slurm_rivosinc")) - set(registry("slurm"))
    assert named_metrics(expr) & only == set()
