"""Rules that give slurmctld's own metrics the names of ours."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.native_slurm import native, served
from tests.monitoring.prometheus import Prometheus, real_prometheus
from tests.monitoring.words import metric_names
from trainyard import monitoring
from trainyard_node.samples import metrics

HERE = Path(__file__).parent
FOLDER = Path(monitoring.__file__).parent
RULES_FILE, SCRAPE_FILE = FOLDER / "slurm_native.rules.yaml", FOLDER / "slurm_native.scrape.yaml"
RULES: list[dict[str, str]] = [
    rule for group in yaml.safe_load(RULES_FILE.read_text())["groups"] for rule in group["rules"]
]
# What Prometheus adds itself.
ADDED = {"job", "instance", "__name__"}


def native_labels() -> dict[str, set[str]]:
    return {name: {label for label, _ in labels} for name, labels in native()}


def labels_of(expression: str) -> set[str]:
    """Return the labels of what an expression gives: its inputs', less those summed away, and those made."""
    inputs = {label for name in metric_names(expression) for label in native_labels()[name]}
    made = set(re.findall(r'label_replace\([^"]*"([a-z]+)"', expression))
    return (inputs | made) - set(re.findall(r"without \(([a-z]+)\)", expression))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["record"])
def test_a_recorded_name_and_its_labels_are_ours(rule: dict[str, str]):
    ours = metrics("slurm")
    assert rule["record"] in ours
    assert labels_of(rule["expr"]) <= set(ours[rule["record"]].labels)
    # None of ours is lost but those that Slurm does not tell.
    assert set(ours[rule["record"]].labels) - labels_of(rule["expr"]) <= {"active_feature_set", "status", "partition"}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["record"])
def test_a_rule_reads_what_slurm_exports_and_never_what_it_records(rule: dict[str, str]):
    read = metric_names(rule["expr"])
    assert read <= set(native_labels())
    assert not read & {one["record"] for one in RULES}


def test_a_name_is_recorded_once():
    names = [rule["record"] for rule in RULES]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.integration
def test_promtool_accepts_the_rules_and_their_results():
    for command in (
        ("check", "rules", "--lint-fatal", str(RULES_FILE)),
        ("check", "config", str(SCRAPE_FILE)),
        ("test", "rules", str(HERE / "slurm_native.test.yaml")),
    ):
        promtool = shutil.which("promtool")
        assert promtool is not None
        done = subprocess.run([promtool, *command], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def scraping(address: str) -> dict[str, Any]:
    config: dict[str, Any] = yaml.safe_load(SCRAPE_FILE.read_text())
    for job in config["scrape_configs"]:
        job["scrape_interval"] = "1s"
        job["static_configs"] = [{"targets": [address]}]
    return {"global": {"evaluation_interval": "1s"}, "rule_files": [str(RULES_FILE)], **config}


@pytest.mark.integration
@pytest.mark.enable_socket
def test_a_prometheus_that_scrapes_slurm_itself_has_our_names_and_counts_nothing_twice(tmp_path: Path):
    with served() as address, real_prometheus(tmp_path, scraping(address)) as prometheus:
        for rule in RULES:
            prometheus.wait_for(rule["record"])
        check_names_and_labels(prometheus)
        # gpu3 is drained, cpu1 is without power.
        assert prometheus.ask("sum by (partition) (slurm_nodes_idle)") == by("partition", gpu=0, cpu=1)
        assert prometheus.ask("sum(slurm_nodes_powered_down)") == {(): 1}
        assert prometheus.ask("sum(slurm_nodes_powering_up)") == {(): 1}
        assert prometheus.ask("sum(slurm_nodes_drain)") == {(): 1}
        assert prometheus.ask("sum(slurm_nodes_total)") == {(): 4}
        assert prometheus.ask("sum(slurm_cpus_total)") == {(): 3 * 190 + 4}
        assert prometheus.ask("sum(slurm_gpus_utilization)") == {(): 9 / 24}
        assert prometheus.ask("sum(slurm_node_mem_total)") == {(): 6_016_000}
        assert prometheus.ask("sum by (user) (slurm_user_jobs_pending)") == by("user", ana=3, bo=1)
        assert prometheus.ask("sum by (account) (slurm_account_gpus_running)") == by("account", nlp=8, vision=1)
        assert prometheus.ask("sum(slurm_jobs_pending)") == {(): 4}


def by(label: str, **values: float) -> dict[tuple[tuple[str, str], ...], float]:
    return {((label, name),): value for name, value in values.items()}


def check_names_and_labels(prometheus: Prometheus) -> None:
    """Whatever has a name of ours has no labels but ours, whether it was recorded or is so natively."""
    ours = metrics("slurm")
    seen = set()
    for series in prometheus.ask('{__name__=~"slurm_.+"}'):
        name = dict(series)["__name__"]
        if name in ours:
            seen.add(name)
            assert set(dict(series)) - ADDED <= set(ours[name].labels), series
    assert seen > {rule["record"] for rule in RULES}
