"""Alerts are whole, are on their page, have cases, and ask for what is exported."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.monitoring.alert_cases import FOLDER as CASES
from tests.monitoring.alert_cases import cases_of
from tests.monitoring.promql import asked_metrics, exported, named_metrics, unknown_in
from trainyard.monitoring.alert import FOLDER, Alert, alert_of, alerts, alerts_for, no_alerts
from trainyard.monitoring.features import NEEDS
from trainyard.monitoring.prometheus_rules import alert_rules
from trainyard.monitoring.queries import DocumentedQuery, documented_queries
from trainyard.monitoring.registry import foreign_metrics

PAGE = (Path(__file__).parents[2] / "docs" / "alerts.md").read_text(encoding="utf-8")
EACH = pytest.mark.parametrize("alert", alerts(), ids=lambda alert: alert.id)
GOOD = {
    "panel": "job/tensor",
    "group": "gpu",
    "severity": "info",
    "for": "5m",
    "expr": "up == 0",
    "summary": "s",
    "description": "d",
    "remedy": ["r"],
    "why": "w",
    "sources": ["https://example.com"],
    "read": "2026-11-21",
}


@EACH
def test_an_alert_asks_for_metrics_and_labels_that_are_exported(alert: Alert):
    assert named_metrics(alert.expr)
    assert unknown_in(alert.expr, exported()) == []


@pytest.mark.parametrize("entry", no_alerts(), ids=lambda entry: entry["what"])
def test_what_is_said_to_have_no_alert_has_none(entry: dict[str, Any]):
    asked = {name for alert in alerts() for name in named_metrics(alert.expr)}
    metrics = entry.get("metrics", ())
    assert not asked & set(metrics)
    assert set(metrics) <= exported().keys()
    assert metrics or entry["beside"] in {alert.id for alert in alerts()}
    assert entry.get("beside", alerts()[0].id) in {alert.id for alert in alerts()}
    assert f"- {entry['what']}: {entry['why']}" in PAGE


@pytest.mark.parametrize("query", documented_queries(), ids=lambda query: query.id)
def test_a_documented_query_asks_for_metrics_and_labels_that_are_exported(query: DocumentedQuery):
    assert unknown_in(query.query, exported()) == []


@EACH
def test_an_alert_whose_metric_leaves_the_registry_is_found(alert: Alert):
    for name in named_metrics(alert.expr):
        assert name in unknown_in(alert.expr, {one: labels for one, labels in exported().items() if one != name})


def test_a_label_that_a_metric_does_not_have_is_found():
    known = {"a": frozenset({"x"}), "b": frozenset({"y"})}
    assert unknown_in("sum by (x) (a) + sum by (z) (b)", known) == ["z"]
    assert unknown_in('a{y="1"} and b{y=~"2", instance="3"}', known) == ["a{y}"]
    assert unknown_in('max by (new) (label_replace(a, "new", "$1", "x", "(.*)")) > 1e8', known) == []
    assert unknown_in('label_replace(a offset 5m, "new", "$1", "z", "(.*)")', known) == ["z"]


def test_names_of_metrics_are_told_from_functions_words_and_durations():
    expr = 'rate(a_total{b="c"}[5m]) > 1e8 and on (d) group_left () max_over_time(e[1h:5m]) unless f offset 10m'
    assert named_metrics(expr) == {"a_total", "e", "f"}


def test_whatever_others_export_is_asked_for():
    assert set(foreign_metrics()) <= asked_metrics()


def test_no_alert_depends_on_how_dcgm_exporter_spells_the_host():
    assert [
        alert.id for alert in alerts() if "hostname" in f"{alert.expr} {alert.summary} {alert.description}".lower()
    ] == []


def test_every_metric_of_dcgm_exporter_is_among_those_that_nodes_export():
    step = Path(FOLDER).parents[1] / "bootstrap" / "assets" / "steps" / "65-dcgm-exporter.sh"
    counters = set(re.findall(r"^(DCGM_\w+), (?:gauge|counter),", step.read_text(encoding="utf-8"), re.MULTILINE))
    assert {name for name in foreign_metrics() if name.startswith("DCGM_")} <= counters


@EACH
def test_an_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not(alert: Alert):
    assert {bool(case["fires"]) for case in cases_of(alert.id)} == {True, False}


def test_all_cases_are_of_alerts():
    assert sorted(file.stem for file in CASES.glob("*.yaml")) == sorted(alert.id for alert in alerts())


@EACH
def test_an_alert_has_a_section_on_the_page_with_every_step(alert: Alert):
    section = PAGE.split(f"\n## {alert.id}\n")[1].split("\n## ")[0]
    assert [step for step in alert.remedy if step not in section] == []
    assert alert.expr in section
    assert "$labels" not in section


def test_the_page_has_no_other_sections():
    assert re.findall(r"^## (.+)$", PAGE, re.MULTILINE) == [alert.id for alert in alerts()]


@EACH
def test_an_id_is_lower_case_with_hyphens(alert: Alert):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", alert.id)


# Whose value is never 1: its condition says so.
MANY = {"jobs-lost-with-nodes", "node-replaced-again"}


@EACH
def test_no_summary_has_a_count_before_a_plural_that_may_be_one(alert: Alert):
    assert alert.id in MANY or not re.search(r"{{ \$value }} [A-Za-z]+s\b", alert.summary.replace("°C", ""))


@EACH
def test_an_alert_about_an_instance_names_the_node_as_slurm_does(alert: Alert):
    assert not re.search(r"\$labels\.(instance|node_name) ", alert.summary)
    assert "node" in alert.summary or not alert.names_node


def test_the_rules_hold_every_alert_once():
    names = [rule["alert"] for group in alert_rules()["groups"] for rule in group["rules"]]
    assert sorted(names) == sorted(alert.id for alert in alerts())


def test_what_is_urgent_is_evaluated_each_minute_and_all_others_every_two():
    each_minute = {
        rule["alert"] for group in alert_rules()["groups"] if "interval" not in group for rule in group["rules"]
    }
    assert each_minute == {
        alert.id for alert in alerts() if alert.severity == "critical" and alert.for_ in {"0m", "1m", "3m", "5m"}
    }
    assert {group.get("interval", "2m") for group in alert_rules()["groups"]} == {"2m"}


def test_a_group_without_alerts_is_left_out_of_the_rules():
    (some,) = [alert for alert in alerts() if alert.id == "no-metrics"]
    assert [group["name"] for group in alert_rules([some])["groups"]] == ["trainyard-collection"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"severity": "page"}, "severity 'page'"),
        ({"group": "gpus"}, "group 'gpus'"),
        ({"for": "soon"}, "for 'soon'"),
        ({"remedy": []}, "remedy must not be empty"),
        ({"why": "", "summary": ""}, "summary, why must not be empty"),
        ({"sources": ["example.com"]}, "begins with https://"),
        ({"needs": ["tpu"]}, "needs tpu is wrong"),
    ],
    ids=str,
)
def test_a_file_that_cannot_be_right_is_refused(wrong: dict[str, object], said: str):
    assert alert_of("some-alert", GOOD).for_ == "5m"
    with pytest.raises(ValueError, match=said):
        alert_of("some-alert", {**GOOD, **wrong})


# By the names of metrics, which cluster alone can answer. The health of GPUs is asked for by the name of its check.
ONLY_WITH = {
    "gpu": re.compile(r"DCGM_FI_|node:gpu|gpu-xid|gpu:xid|nccl_ras"),
    "gpm": re.compile(r"tensor_active|dram_active"),
    "nvlink": re.compile(r"NVLINK"),
    "neuron": re.compile(r"neuron|execution_|hardware_ecc"),
    "efa": re.compile(r"amazonefa|trainyard_efa_|:efa_"),
    "slurm": re.compile(r'\bslurm_|collector="slurm"|nccl_ras'),
    "head-node": re.compile(r'trainyard_(credentials|capacity|bench)_|node_type="HeadNode"'),
    "nccl-ras": re.compile(r"nccl_ras"),
    "mounts": re.compile(r"lustre"),
    "nfs": re.compile(r"node_nfs_"),
}


@EACH
def test_an_alert_needs_what_its_metrics_are_of(alert: Alert):
    assert set(alert.needs) == {need for need, only in ONLY_WITH.items() if only.search(alert.expr)}


def test_a_cluster_gets_the_alerts_that_can_fire_in_it():
    assert alerts_for(NEEDS) == alerts()
    assert {alert.group for alert in alerts_for([])} == {"node", "collection"}
    assert all(not alert.needs for alert in alerts_for([]))


def test_an_unknown_key_is_refused():
    with pytest.raises(TypeError, match="severty"):
        alert_of("some-alert", {**GOOD, "severty": "info"})
