"""What samples say: whether they arrive, with what labels, by which rules, and whether panels have any."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.operate.monitoring.verify.situations import SPEC, FakeKeeper, found, spec, whole
from trainyard.bootstrap.steps import ASSETS
from trainyard.edge.prometheus_api import Sample
from trainyard.errors import TrainyardError
from trainyard.monitoring.alert import alerts_for
from trainyard.monitoring.dashboard import dashboards_for
from trainyard.monitoring.features import features_of
from trainyard.monitoring.prometheus_rules import watched_rules
from trainyard.monitoring.registry import foreign_metrics, registries, registry
from trainyard.operate.monitoring.verify.checks import clocks
from trainyard.operate.monitoring.verify.dashboards import cluster_query, panels
from trainyard.operate.monitoring.verify.metrics import always_exported
from trainyard.operate.monitoring.verify.remote_write import credentials, remote_write
from trainyard.operate.monitoring.verify.rules import rules
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.verification import arrival
from trainyard_node.samples import metrics as registered


def test_samples_that_have_never_arrived_are_told_from_those_that_stopped():
    ((severity, id_, message),) = found(arrival, FakeKeeper())
    assert (severity, id_) == ("error", "no-recent-samples")
    assert message == "no sample of llm has arrived at http://localhost:9090 within a day"
    stopped = FakeKeeper(answers={"max_over_time": 1000.0, "time()": 8200.0})
    assert found(arrival, stopped)[0][2] == "the last sample of llm arrived 2 h 0 min ago"


def test_a_gap_is_found_once_prometheus_has_run_for_as_long():
    assert found(arrival, FakeKeeper(answers={"count_over_time": 60, "max(timestamp": 1})) == []
    ((severity, id_, message),) = found(arrival, FakeKeeper(answers={"count_over_time": 31, "max(timestamp": 1}))
    assert (severity, id_) == ("warning", "samples-missing")
    assert message == "of the last 30 minutes, 31 of 60 samples of a series arrived"


@pytest.mark.parametrize(
    ("check", "asked", "value", "id_", "message"),
    [
        (
            remote_write,
            "samples_failed_total",
            5000,
            "remote-write-refused",
            "5,000 samples of the last ten minutes got lost",
        ),
        (remote_write, "samples_retried_total", 7, "samples-sent-again", "7 samples of the last ten minutes took more"),
        (remote_write, "highest_sent", 300, "remote-write-behind", "what arrives is 5 min late"),
        (
            credentials,
            "credentials_expire",
            7200,
            "credentials-stale",
            "the head node's credentials ended 2 h 0 min ago",
        ),
        (credentials, "credentials_expire", 1.8e9, "credentials-stale", "the head node has never had credentials"),
        (credentials, "refresh_failures", 10, "discovery-failing", "10 questions to EC2 for nodes failed"),
        (clocks, "node_time_seconds", 90, "clock-wrong", "clocks differ from the head node's by up to 90 s"),
        (clocks, "sync_status", 0, "clock-not-kept", "nothing keeps the clock of"),
    ],
)
def test_what_prometheus_tells_of_itself_becomes_a_finding(check, asked: str, value: float, id_: str, message: str):
    assert found(check) == []
    ((_, is_, said),) = found(check, FakeKeeper(answers={asked: value}))
    assert is_ == id_
    assert said.startswith(message)


def loaded(**of_first: str) -> list[dict[str, Any]]:
    groups = [{"rules": [{"name": rule.get("alert") or rule["record"], "health": "ok"} for rule in group["rules"]]}
              for group in watched_rules(alerts_for(features_of(spec())))["groups"]]  # fmt: skip
    groups[0]["rules"][0] |= of_first
    return groups


def test_rules_that_are_not_loaded_are_counted_and_named():
    keeper = FakeKeeper()
    keeper.groups = loaded()
    assert found(rules, keeper) == []
    names = {rule["name"] for group in keeper.groups for rule in group["rules"]}
    keeper.groups = []
    ((severity, id_, message),) = found(rules, keeper)
    assert (severity, id_) == ("error", "rules-not-loaded")
    assert message.startswith(f"{len(names)} of {len(names)} rules are not loaded: {min(names)}")


def test_a_rule_that_cannot_be_evaluated_says_why():
    keeper = FakeKeeper()
    keeper.groups = loaded(health="err", lastError="found duplicate series")
    ((_, id_, message),) = found(rules, keeper)
    assert id_ == "rule-failing"
    assert message.endswith('cannot be evaluated: "found duplicate series"')


class OnlySome(FakeKeeper):
    """A keeper that has data for the queries that name a metric, and refuses those that name another."""

    def __init__(self, has: str, refuses: str = "^$") -> None:
        super().__init__(whole())
        self.has, self.refuses = re.compile(has), re.compile(refuses)

    def query(self, expr: str, at_s: float | None = None) -> list[Sample]:  # noqa: ARG002  a keeper's
        if self.refuses.search(expr):
            raise TrainyardError("the query hit a limit", hint="ask for less")
        return [Sample({}, 0.0, 1.0)] if self.has.search(expr) else []


def test_empty_panels_are_listed_by_their_dashboard_and_those_that_may_be_empty_are_not():
    assert found(panels, OnlySome(".")) == []
    empty = found(panels, OnlySome("^$"))
    assert {(severity, id_) for severity, id_, _ in empty} == {("warning", "panel-empty")}
    always = [one.title for one in dashboards_for(features_of(spec())) if not all(p.may_be_empty for p in one.panels())]
    assert [message.split(" has no data for ")[0].removeprefix("dashboard ") for _, _, message in empty] == always


def test_a_query_that_is_refused_is_told_with_its_reason():
    refused = [one for one in found(panels, OnlySome(".", "slurm_nodes_total")) if one[1] == "panel-query-failing"]
    assert refused
    assert all(message.endswith("cannot be drawn: the query hit a limit") for _, _, message in refused)


def test_the_variables_of_a_query_are_filled_in_for_one_cluster():
    expr = 'rate(a{cluster=~"$cluster", queue=~"$queue", node_name=~"$node"}[$__rate_interval])'
    assert cluster_query(expr, "llm-p5") == 'rate(a{cluster=~"llm\\\\-p5", queue=~".*", node_name=~".*"}[2m])'
    assert cluster_query('a{user=~"$user", jobid=~"$job"}', "c") == 'a{user=~".*", jobid=~".*"}'


@pytest.mark.parametrize("collector", registries())
def test_the_registry_is_that_of_the_nodes(collector: str):
    assert registry(collector) == {name: frozenset(metric.labels) for name, metric in registered(collector).items()}


def test_what_is_always_exported_is_known_to_be_exported():
    known = {name for file in registries() for name in registry(file)}
    ours = always_exported(spec(), "trainyard-node", "Compute", "gpu") | always_exported(
        spec(), "trainyard-node", "HeadNode", ""
    )
    assert ours <= known
    assert "node_amazonefa_rx_bytes" in ours
    assert "node_amazonefa_rx_bytes" not in always_exported(spec(), "trainyard-node", "Compute", "cpu")
    assert "trainyard_health_problem" not in ours
    of_dcgm = always_exported(spec(), "dcgm-exporter", "Compute", "gpu")
    assert of_dcgm <= set(foreign_metrics())
    assert always_exported(spec(), "another-exporter", "Compute", "gpu") == frozenset()


def test_the_names_of_slurms_metrics_are_the_default_ones_and_those_that_the_spec_asks_for():
    text = "monitoring: {mode: amp-only, slurm_names: rivosinc}"
    rivosinc = spec(SPEC.replace("monitoring: {mode: amp-only}", text))
    names = always_exported(rivosinc, "trainyard-node", "HeadNode", "")
    assert {"slurm_cpus_per_state", "slurm_nodes_alloc"} <= names
    assert "slurm_cpus_per_state" not in always_exported(spec(), "trainyard-node", "HeadNode", "")


def test_what_is_looked_at_is_counted():
    situation = Situation(spec(), OnlySome("."))
    assert list(panels(situation)) == []
    wanted = [panel for dashboard in dashboards_for(features_of(spec())) for panel in dashboard.panels()]
    assert situation.looked_at["panels"] == len(wanted)


def test_what_dcgm_exporter_always_exports_is_what_its_step_asks_it_for():
    step = (ASSETS / "steps" / "65-dcgm-exporter.sh").read_text(encoding="utf-8")
    asked = set(re.findall(r"(?m)^(DCGM_FI_\w+), ", step))
    assert always_exported(spec(), "dcgm-exporter", "Compute", "gpu") <= asked
