"""What Prometheus keeps of each exporter is asked for, or stands with its reason in kept_metrics.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.each_case import each_case
from tests.monitoring.clusters import mixed
from tests.monitoring.promql import asked_metrics
from tests.monitoring.test_foreign_metrics import NODE_EXPORTER, SERIES
from tests.training.ledger.runs import storm
from trainyard.bootstrap.steps import ASSETS
from trainyard.monitoring.kept_series import BUSY_MODES, kept_metrics, kept_series
from trainyard.monitoring.node_series import compute_series, facts
from trainyard.monitoring.prometheus_config import head_node_config, metric_relabelling
from trainyard.monitoring.registry import foreign_metrics, registries, registry
from trainyard.training.ledger.ledger import ledger_of
from trainyard.training.ledger.progress_lines import sessions_of
from trainyard.training.ledger.report_metrics import report_metrics
from trainyard.training.ledger.report_values import report_values

LABELS = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
Series = tuple[str, dict[str, str]]
# Of the largest P5 node before anything was left out, and the half of it that is the limit of what is kept.
LIMIT_OF_P5 = 4418 // 2


def recorded(node_type: str) -> list[Series]:
    """Return the series of node_exporter as a node of a type has them, with the label of its target."""
    text = NODE_EXPORTER.read_text(encoding="utf-8")
    return [(name, {**dict(LABELS.findall(labels)), "node_type": node_type}) for name, labels in SERIES.findall(text)]


def relabelled(series: list[Series]) -> Iterator[Series]:
    """Yield what is left, as Prometheus decides: patterns are anchored, labels that are missing are empty."""
    for name, labels in series:
        values = {"__name__": name, **labels}
        matches = (
            (
                rule["action"],
                re.fullmatch(rule["regex"], ";".join(values.get(key, "") for key in rule["source_labels"])),
            )
            for rule in kept_series("node-exporter")
        )
        if all((match is not None) == (action == "keep") for action, match in matches):
            yield name, labels


def names(node_type: str) -> set[str]:
    return {name for name, _ in relabelled(recorded(node_type))}


@pytest.mark.parametrize("node_type", ["HeadNode", "Compute", "LoginNode", ""])
def test_all_that_something_asks_for_is_left(node_type: str):
    of_host = {name for name in foreign_metrics() if name.startswith("node_")}
    assert of_host <= names(node_type)


def test_what_our_timers_write_for_it_is_left():
    of_timers: list[Series] = [(name, {"node_type": "HeadNode"}) for name in registry("timers")]
    assert list(relabelled(of_timers)) == of_timers


def test_each_cpu_has_one_series_but_on_the_head_node():
    def modes(node_type: str) -> set[str]:
        left = relabelled(recorded(node_type))
        return {labels["mode"] for name, labels in left if name == "node_cpu_seconds_total"}

    assert modes("Compute") == modes("LoginNode") == modes("") == {"idle"}
    assert modes("HeadNode") == {"idle", *BUSY_MODES}


def test_the_size_of_a_node_is_what_is_left():
    """A virtual machine with one disk and, beside the loopback device, no other that is kept."""
    kept = facts("series")["node-exporter-kept"]
    left = [name for name, _ in relabelled(recorded("Compute")) if not name.startswith("node_nfsd_")]
    cpus = sum(name == "node_cpu_seconds_total" for name in left)
    assert len(left) - cpus * kept["vcpu"] <= kept["target"]
    assert kept["network_device"] == len({name for name in left if name.startswith("node_network_")})
    assert kept["disk"] == len({name for name in left if name.startswith("node_disk_")})


def test_a_p5_node_has_less_than_half_of_the_series_that_it_had():
    gpu, _, _ = (compute_series(mixed(), group) for group in mixed().node_groups())
    assert gpu is not None
    assert gpu < LIMIT_OF_P5


def of_report() -> set[str]:
    """Return the metrics that `run report` writes of a run and of nodes without one."""
    known = storm(1)
    ledger = ledger_of(known.attempts, sessions_of(known.lines))
    values = report_values([ledger], 2.0, "as it was given", outside_gpu_ms={"idle": 1})
    return set(re.findall(r"^# TYPE (\S+) gauge$", report_metrics(values), re.MULTILINE))


def test_what_a_report_of_runs_writes_for_it_is_left():
    told: list[Series] = [(name, {"node_type": "HeadNode"}) for name in sorted(of_report())]
    assert len(told) >= 6
    assert list(relabelled(told)) == told


def exported_by(job: str) -> set[str]:
    if job == "dcgm-exporter":
        step = (ASSETS / "steps" / "65-dcgm-exporter.sh").read_text(encoding="utf-8")
        return set(re.findall(r"^(DCGM_\w+), (?:gauge|counter),", step, re.MULTILINE))
    if job == "trainyard-node":
        return {name for file in registries() for name in registry(file)}
    return names("HeadNode") | of_report()


@each_case("job", ["node-exporter", "dcgm-exporter", "trainyard-node"])
def test_whatever_is_kept_is_asked_for_or_has_its_reason(job: str):
    patterns, unasked = kept_metrics()[job], exported_by(job) - asked_metrics()
    assert {name for name in unasked if not any(re.fullmatch(pattern, name) for pattern in patterns)} == set()
    assert [pattern for pattern in patterns if not any(re.fullmatch(pattern, name) for name in unasked)] == []


def test_who_wants_all_gets_all():
    assert metric_relabelling("node-exporter", all_host_metrics=True) == {}
    assert metric_relabelling("trainyard-node", all_host_metrics=False) == {}


def test_the_rules_stand_at_the_exporter_alone():
    config = head_node_config(mixed(), "https://example.com/write")
    assert config is not None
    dropping = [job["job_name"] for job in config["scrape_configs"] if "keep" in str(job.get("metric_relabel_configs"))]
    assert dropping == ["node-exporter"]
