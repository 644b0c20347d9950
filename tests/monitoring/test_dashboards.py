"""Dashboards are whole, and ask for what is exported or recorded."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.each_case import each_case
from tests.monitoring.clusters import MIXED, spec_of
from tests.monitoring.promql import exported, named_metrics, unknown_in
from trainyard.monitoring import events
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.dashboard import FOLDER, ORDER, Dashboard, Panel, dashboard_of, dashboards, dashboards_for
from trainyard.monitoring.features import NEEDS, features_of
from trainyard.monitoring.grafana_files import COLUMNS
from trainyard.monitoring.grafana_ranking import fixed_rankings
from trainyard.monitoring.node_discovery import TARGET_LABELS
from trainyard.monitoring.prometheus_rules import (
    NODE_LABELS,
    QUANTILES,
    alert_rules,
    banded_metrics,
    recorded_metrics,
    recording_groups,
    recording_rules,
    rules_document,
)
from trainyard.monitoring.registry import labels_on_every_series
from trainyard.operate.monitoring.viewer.panel_queries import node_series, recorded_totals
from trainyard.spec.parsing import parse

VARIABLES = {
    "$cluster": ".*",
    "$queue": ".*",
    "$node": ".*",
    "$user": ".*",
    "$job": ".*",
    "$__rate_interval": "2m",
    "$__range": "1h",
    "$__interval": "30s",
}


def asked(expr: str) -> str:
    """Return a query as Prometheus gets it."""
    for variable, value in VARIABLES.items():
        expr = expr.replace(variable, value)
    return expr


PANELS = [
    pytest.param(dashboard, panel, id=f"{dashboard.id}/{panel.id}")
    for dashboard in dashboards()
    for panel in dashboard.panels()
]
EACH_PANEL = each_case(("dashboard", "panel"), PANELS)
EACH = pytest.mark.parametrize("dashboard", dashboards(), ids=lambda dashboard: dashboard.id)
ASKED = sorted(
    {
        name
        for dashboard in dashboards()
        for panel in dashboard.panels()
        for query in panel.queries
        for name in named_metrics(asked(query.expr))
    }
)
RECORDED = [rule for group in recording_groups() for rule in group["rules"]]
ENVIRONMENT = """\
kind: environment
name: shared
region: us-east-2
network: {availability_zone: us-east-2a}
monitoring: {mode: amp-only}
"""


def panels_that_ask_for_what_nobody_exports(known: dict[str, frozenset[str]]) -> dict[str, list[str]]:
    """Return what is unknown in each panel, by the names of dashboard and panel."""
    found = {
        f"{dashboard.id}/{panel.id}": [
            wrong for query in panel.queries for wrong in unknown_in(asked(query.expr), known)
        ]
        for dashboard in dashboards()
        for panel in dashboard.panels()
    }
    return {where: wrong for where, wrong in found.items() if wrong}


def test_every_panel_asks_for_metrics_and_labels_that_are_exported_or_recorded():
    unknown = panels_that_ask_for_what_nobody_exports(exported())
    assert unknown == {}, "what other exporters give is listed in foreign_metrics.yaml: add it there"


def test_a_metric_that_leaves_the_registry_is_found_in_every_panel_that_asks_for_it():
    unknown = panels_that_ask_for_what_nobody_exports(exported())
    missed = {}
    for name in ASKED:
        known = {metric: labels for metric, labels in exported().items() if metric != name}
        without = panels_that_ask_for_what_nobody_exports(known)
        asking = {
            f"{dashboard.id}/{panel.id}"
            for dashboard in dashboards()
            for panel in dashboard.panels()
            if any(name in named_metrics(asked(query.expr)) for query in panel.queries)
        }
        if asking != {place for place, names in without.items() if name in names} or set(without) - asking - set(
            unknown
        ):
            missed[name] = sorted(asking ^ set(without))
    assert missed == {}


def test_a_label_that_a_metric_loses_is_found():
    without = {**exported(), "slurm_partition_up": frozenset()}
    assert panels_that_ask_for_what_nobody_exports(without) == {
        "slurm-jobs/partitions": ["partition", "slurm_partition_up{partition}"]
    }


@EACH_PANEL
def test_a_panel_shows_columns_and_names_that_its_queries_give(dashboard: Dashboard, panel: Panel):
    for query in panel.queries:
        known = labels_on_every_series().union(*(exported()[name] for name in named_metrics(asked(query.expr))))
        made = set(re.findall(r'label_replace\(.*?"([a-z]+)", "', query.expr, re.DOTALL))
        shown = {column.label for column in panel.columns} | set(re.findall(r"{{(\w+)}}", query.legend))
        assert shown <= known | made | set(panel.value_columns()), dashboard.id


@EACH_PANEL
def test_every_series_of_a_panel_is_of_the_chosen_clusters(dashboard: Dashboard, panel: Panel):
    for query in panel.queries:
        chosen = re.findall(r'([A-Za-z_:][\w:]*)\{[^}]*cluster=~"\$cluster[|"][^}]*\}', query.expr)
        assert set(chosen) == named_metrics(asked(query.expr)), dashboard.id


@EACH_PANEL
def test_no_panel_depends_on_how_dcgm_exporter_spells_the_host(dashboard: Dashboard, panel: Panel):
    told = [*(query.expr + query.legend for query in panel.queries), *(column.label for column in panel.columns)]
    assert [one for one in told if "hostname" in one.lower()] == [], dashboard.id


@EACH_PANEL
def test_a_panel_says_how_it_is_read_and_where_to_look_next(dashboard: Dashboard, panel: Panel):
    assert len(panel.description) > 30
    assert panel.description.endswith((".", "general-purpose.html", "xid-errors/"))
    assert set(panel.links) <= set(ORDER) - {dashboard.id}
    values = [threshold.value for threshold in panel.thresholds]
    assert values == sorted(set(values))
    assert all(threshold.colour in {"green", "yellow", "orange", "red", "blue"} for threshold in panel.thresholds)


@EACH
def test_the_panels_of_a_dashboard_are_told_apart_and_fill_its_width(dashboard: Dashboard):
    for what in ([panel.id for panel in dashboard.panels()], [row.title for row in dashboard.rows]):
        assert sorted(set(what)) == sorted(what)
    for row in dashboard.rows:
        titles = [panel.title for panel in row.panels]
        assert sorted(set(titles)) == sorted(titles)
        filled = 0
        for panel in row.panels:
            filled += panel.width
            assert filled <= COLUMNS, panel.id
            filled %= COLUMNS
        assert filled == 0, row.title


def test_there_is_a_dashboard_for_each_name_and_no_other_file():
    assert tuple(dashboard.id for dashboard in dashboards()) == ORDER
    assert {file.name for file in FOLDER.iterdir()} == {f"{name}.yaml" for name in ORDER}


def test_the_labels_of_every_series_are_those_that_targets_get():
    assert labels_on_every_series() == {*TARGET_LABELS, "job", "instance"}
    assert set(NODE_LABELS) == set(TARGET_LABELS)


def recorded_before(rule: dict[str, str]) -> list[str]:
    """Return what the group of a rule has recorded when it comes to it, as Prometheus evaluates a group in turn."""
    (rules,) = (group["rules"] for group in recording_groups() if rule in group["rules"])
    return [one["record"] for one in rules[: rules.index(rule)]]


# What is usual is made of what is recorded, and asked for by a pattern of names.
OF_RECORDED = {*QUANTILES, events.RECORD}
# Joins what two groups record of nodes; that one of them is two minutes old does it no harm.
OF_TWO_GROUPS = {"node:job_usd_per_hour:max": {"node:job:max", "node:usd_per_hour:max"}}
OF_SCRAPED = [rule for rule in RECORDED if rule["record"] not in OF_RECORDED]


@each_case("rule", OF_SCRAPED, ids=lambda rule: rule["record"])
def test_a_rule_records_of_what_is_scraped_or_recorded_before_it_in_its_group(rule: dict[str, str]):
    scraped = {
        name: labels
        for name, labels in exported().items()
        if name not in recorded_metrics()
        or name in {rule["record"], *recorded_before(rule), *OF_TWO_GROUPS.get(rule["record"], ())}
    }
    assert named_metrics(rule["expr"])
    assert unknown_in(rule["expr"], scraped) == []
    # Prometheus' own advice for names: level, metric, operations.
    # https://prometheus.io/docs/practices/rules/
    assert re.fullmatch(
        r"(node|queue|interface|gpu|type):[a-z0-9_]+:(avg|count|min|max|sum|median|rate2m|rate5m)", rule["record"]
    )


def test_what_is_recorded_is_shown_somewhere_or_asked_by_an_alert_or_event_or_tells_the_viewer_what_to_show():
    of_alerts = {name for alert in alerts() for name in named_metrics(alert.rule)}
    of_events = {name for event in events.events() for name in named_metrics(event.expr)}
    of_totals = {name for total in recorded_totals().values() for name in named_metrics(total)}
    assert set(recorded_metrics()) <= {*ASKED, *of_alerts, *of_events, *node_series().values(), *of_totals}
    assert {rule["record"] for rule in RECORDED} == set(recorded_metrics())
    assert len(RECORDED) == len(recorded_metrics()) + len(events.events()) - 1


def test_what_is_usual_is_recorded_of_exactly_the_series_whose_panels_show_it():
    shown = {f"node:{panel.band.partition(' * ')[0]}" for dashboard in dashboards() for panel in dashboard.panels()}
    assert shown - {"node:"} == set(banded_metrics())
    for rule in RECORDED:
        if rule["record"] in QUANTILES:
            (pattern,) = re.findall(r'__name__=~"([^"]+)"', rule["expr"])
            assert {name for name in recorded_metrics() if re.fullmatch(pattern, name)} == set(banded_metrics())


@EACH_PANEL
def test_a_panel_draws_beside_its_band_the_series_that_the_band_is_of(dashboard: Dashboard, panel: Panel):
    subject, times, factor = panel.band.partition(" * ")
    if subject:
        own, low, median, high, *_ = panel.queries
        assert (own.role, low.role, median.role, high.role) == ("", "low", "median", "high"), dashboard.id
        assert f"node:{subject}{{" in own.expr
        assert all(query.expr.count(f"{times}{factor}") for query in (own, low, median, high))


def test_rules_come_in_one_document_or_in_two():
    both = rules_document()["groups"]
    assert both == [*recording_rules()["groups"], *alert_rules()["groups"]]
    names = [group["name"] for group in both]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.integration
def test_promtool_parses_every_query_and_every_rule(tmp_path: Path):
    queries = [
        asked(expr)
        for dashboard in dashboards()
        for panel in dashboard.panels()
        for query in panel.queries
        for expr in {query.expr, fixed_rankings(query.expr)}
    ]
    rules = [{"record": f"query_{at}", "expr": expr} for at, expr in enumerate(queries)]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}, *rules_document()["groups"]]}))
    promtool = shutil.which("promtool")
    assert promtool is not None
    done = subprocess.run([promtool, "check", "rules", str(file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_cluster_gets_what_it_can_fill():
    everything = dashboards_for(NEEDS)
    assert everything == dashboards()
    plain = dashboards_for([])
    assert [dashboard.id for dashboard in plain] == [
        "cluster-overview",
        "node-status",
        "jobs",
        "job",
        "node",
        "host-system",
        "storage",
    ]
    assert {panel.id for dashboard in plain for panel in dashboard.panels() if panel.needs} == set()
    assert all(row.panels for dashboard in plain for row in dashboard.rows)


# What every cluster of ParallelCluster has.
OF_PARALLELCLUSTER = {"slurm", "head-node", "prices", "mounts", "nfs", "node-logs"}


def test_a_cluster_has_what_its_nodes_have():
    of_nodes = {"gpu", "gpm", "nvlink", "efa", "login"}
    assert features_of(spec_of(MIXED.replace("MODE", "amp-only"))) == of_nodes | OF_PARALLELCLUSTER


@pytest.mark.parametrize(
    ("instead", "has"),
    [
        ({"p5.48xlarge": "p4d.24xlarge"}, "gpu nvlink efa login"),
        ({"p5.48xlarge": "g5.8xlarge"}, "gpu efa login"),
        ({"p5.48xlarge": "p6-b200.48xlarge"}, "gpu gpm nvlink efa login"),
        ({"p5.48xlarge": "x99.large"}, "gpu efa login"),
        ({"p5.48xlarge": "trn1.32xlarge", "setup: gpu": "setup: neuron"}, "neuron efa login"),
        ({"p5.48xlarge": "m5.2xlarge", "setup: gpu": "setup: cpu"}, "efa login"),
        ({"p5.48xlarge": "m5.2xlarge", "c5n.18xlarge": "m5.2xlarge", "setup: gpu": "setup: cpu"}, "login"),
        ({"login_nodes: {count: 1, instance_type: m5.large}\n": "", "setup: gpu": "setup: none"}, "efa"),
        (
            {"file_systems: []": "file_systems: [{mount: /fsx, lustre: {size_gib: 1200}}]"},
            "gpu gpm nvlink efa login shared-storage lustre",
        ),
        (
            {"file_systems: []": "file_systems: [{mount: /apps, ebs: {size_gib: 100}}]"},
            "gpu gpm nvlink efa login",
        ),
    ],
    ids=str,
)
def test_a_cluster_has_no_more_than_its_nodes_have(instead: dict[str, str], has: str):
    text = MIXED.replace("MODE", "amp-only")
    for what, other in instead.items():
        assert what in text
        text = text.replace(what, other)
    assert features_of(spec_of(text)) == set(has.split()) | OF_PARALLELCLUSTER


def test_a_cluster_that_keeps_no_logs_in_cloudwatch_shows_none():
    text = MIXED.replace("mode: MODE", "mode: amp-only, logs: false")
    assert "node-logs" not in features_of(spec_of(text))


OTHER = """\
name: train
region: us-east-1
platform: PLATFORM
network: {availability_zone: us-east-1a}
queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 4, capacity: on-demand}]
file_systems: FILE_SYSTEMS
monitoring: {mode: amp-only}
"""


@pytest.mark.parametrize(
    ("platform", "file_systems", "has"),
    [
        # Pods mount what is shared, where no exporter of a node sees it.
        ("eks", "[{mount: /fsx, lustre: {size_gib: 1200}}]", "shared-storage lustre prices"),
        ("batch", "[]", "prices job-logs"),
        ("batch", "[{mount: /fsx, lustre: {size_gib: 1200}}]", "shared-storage mounts lustre prices job-logs"),
        ("batch", "[{mount: /home, openzfs: {size_gib: 512}}]", "shared-storage mounts nfs prices job-logs"),
    ],
)
def test_other_platforms_have_neither_slurm_nor_a_head_node(platform: str, file_systems: str, has: str):
    text = OTHER.replace("PLATFORM", platform).replace("FILE_SYSTEMS", file_systems)
    assert features_of(spec_of(text)) == {"gpu", "gpm", "nvlink", "efa", *has.split()}


# What only a cluster with the need can answer.
ONLY_WITH = {
    "head-node": re.compile(r'node_type="HeadNode"|node_nfsd_'),
    "slurm": re.compile(r"\bslurm_"),
    "prices": re.compile(r"usd_per_hour"),
    "nfs": re.compile(r"node_nfs_"),
    "gpu": re.compile(r"DCGM_FI_|gpu:|gpu_utilization"),
    "efa": re.compile(r"amazonefa|:efa_|efa_interfaces"),
}


@EACH_PANEL
def test_a_panel_needs_what_only_some_clusters_can_answer(dashboard: Dashboard, panel: Panel):
    needs = {*dashboard.needs, *panel.needs}
    asked_for = " ".join(query.expr for query in panel.queries)
    assert {need for need, only in ONLY_WITH.items() if only.search(asked_for)} <= needs


# Of what there is once: what the head node does itself, and counts of all nodes.
OF_THE_HEAD_NODE = re.compile(r'{[^}]*(?:node_type="HeadNode"|collector="slurm")[^}]*}')
COUNTS_NODES = {"cluster-overview/nodes-by-state", "node-status/checks"}
# What every node says of itself.
BY_NODE = {
    name
    for name, labels in exported().items()
    if labels & {"node", "gpu", "instance_id"}
    or name.startswith(("node_", "trainyard_health", "trainyard_node_healthy", "trainyard_nccl", "up"))
}


@EACH_PANEL
def test_a_panel_about_nodes_shows_the_chosen_ones_alone(dashboard: Dashboard, panel: Panel):
    own = [query for query in panel.queries if not query.role]
    assert {"$node" in query.expr for query in own} == {panel.is_of_chosen_nodes}
    if not panel.is_of_chosen_nodes and f"{dashboard.id}/{panel.id}" not in COUNTS_NODES:
        elsewhere = (re.sub(r"[\w:]+" + OF_THE_HEAD_NODE.pattern, "0", query.expr) for query in own)
        assert BY_NODE.isdisjoint(name for expr in elsewhere for name in named_metrics(asked(expr)))


def test_clusters_of_an_environment_may_have_anything():
    assert features_of(parse(ENVIRONMENT, "environment.yaml").spec) == set(NEEDS)


GOOD: dict[str, Any] = {
    "id": "a", "title": "A", "kind": "table", "unit": "count", "description": "d", "queries": [{"expr": "up"}],
    "columns": [{"label": "job", "title": "Job"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "pie"}, "kind"),
        ({"unit": "GB"}, "unit"),
        ({"queries": []}, "queries"),
        ({"width": 25}, "width or height"),
        ({"needs": ["tpu"]}, "needs"),
        ({"columns": []}, "columns of a table"),
        ({"queries": [{"expr": "up"}, {"expr": "up"}]}, "columns of a table"),
        ({"columns": [{"label": "job", "title": "Job", "unit": "GB"}]}, "columns"),
    ],
    ids=str,
)
def test_a_panel_that_cannot_be_right_is_refused(wrong: dict[str, Any], said: str):
    def made(panel: dict[str, Any]) -> Dashboard:
        return dashboard_of("storage", {"title": "t", "description": "d", "rows": [{"title": "r", "panels": [panel]}]})

    (panel,) = made(GOOD).panels()
    assert panel.queries[0].instant
    with pytest.raises(ValueError, match=f"panel a: .*{said}"):
        made({**GOOD, **wrong})
