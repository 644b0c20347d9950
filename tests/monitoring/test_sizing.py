"""How much metrics a cluster makes, against what exporters really export."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.clusters import MIXED, mixed, spec_of
from tests.node.collectors.exposed import exposed
from trainyard import monitoring
from trainyard.bootstrap.steps import ASSETS
from trainyard.monitoring.amp_price import amp_price
from trainyard.monitoring.node_series import compute_series, facts, head_series, plain_series
from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.monitoring.sizing import Sizing, sizings
from trainyard_node.samples import metrics

GOLDEN = Path(__file__).parents[1] / "node" / "collectors" / "golden"
DATA: dict[str, Any] = yaml.safe_load(Path(monitoring.__file__).with_name("sizing.yaml").read_text(encoding="utf-8"))
SERIES = facts("series")


def samples_of(file: str) -> list[dict[str, str]]:
    """Return the labels of every sample of a recorded exposition."""
    return [dict(labels) for _, labels in exposed((GOLDEN / file).read_text(encoding="utf-8"))]


def test_a_compute_node_with_32_interfaces_has_what_is_counted():
    each = SERIES["trainyard-node-compute"]
    ill = exposed((GOLDEN / "compute-gpu.prom").read_text(encoding="utf-8"))
    problems = sum(name in {"trainyard_health_problem", "trainyard_efa_interface_errors"} for name, _ in ill)
    assert len(ill) - problems == each["target"] + 32 * each["efa_interface"]


def test_an_interface_has_as_many_series_as_the_registry_has_metrics_of_devices():
    of_devices = [
        metric for metric in metrics("efa").values() if "device" in metric.labels and "counter" not in metric.labels
    ]
    assert SERIES["trainyard-node-compute"]["efa_interface"] == len(of_devices)


def test_a_node_with_trainium_has_what_is_counted_besides():
    each, exposition = SERIES["trainyard-node-compute"], exposed((GOLDEN / "neuron-trn1.prom").read_text("utf-8"))
    # Those of the collector itself are with it.
    assert len(exposition) + 8 == each["neuron"] + 32 * each["neuron_core"] + 16 * each["neuron_device"]


def test_a_file_system_of_lustre_has_what_is_counted():
    exposition = exposed((GOLDEN / "lustre-2.15.prom").read_text("utf-8"))
    assert len(exposition) == SERIES["trainyard-node-compute"]["lustre"]


def test_the_head_node_has_what_is_counted_besides_users_and_reasons():
    labels = samples_of("head.prom")
    unknown = [label for label in labels if {"user", "account", "reason", "operation", "host"} & set(label)]
    down = [label for label in labels if set(label) == {"node"}]
    partitions = {label["partition"] for label in labels if "partition" in label}
    sets = {(label["partition"], label["active_feature_set"]) for label in labels if "active_feature_set" in label}
    rows = {(label["node"], label["partition"]) for label in labels if {"node", "partition"} <= set(label)}
    each = SERIES["trainyard-node-head"]
    counted = (
        each["target"]
        + each["queue"] * len(partitions)
        + each["feature_set"] * len(sets)
        + (each["node"] - 3) * len(rows)
        + sum("gres_type" in label for label in labels)
    )
    assert counted == len(labels) - len(unknown) - len(down)


def test_a_gpu_has_as_many_series_as_the_step_asks_dcgm_for():
    step = (ASSETS / "steps" / "65-dcgm-exporter.sh").read_text(encoding="utf-8")
    assert SERIES["dcgm-exporter"]["gpu"] == len(re.findall(r"(?m)^DCGM_FI_\w+, (?:gauge|counter), ", step))


def test_a_node_has_more_series_the_more_is_in_it():
    spec = mixed()
    gpu, cpu, bare = (compute_series(spec, group) for group in spec.node_groups())
    login = plain_series(spec, "m5.large")
    assert gpu is not None
    assert cpu is not None
    assert bare is not None
    assert login is not None
    assert login < bare < cpu < gpu
    # 8 GPUs, 32 interfaces and 192 vCPUs alone.
    assert gpu > 8 * SERIES["dcgm-exporter"]["gpu"] + 32 * 38 + 192


def test_a_cluster_is_its_nodes_and_what_slurm_knows_of_those_that_are_off():
    spec = mixed()
    gpu, cpu, bare = (compute_series(spec, group) or 0 for group in spec.node_groups())
    fixed = (head_series(spec) or 0) + (plain_series(spec, "m5.large") or 0)
    least, most = sizings(spec)
    assert (least.nodes, most.nodes) == (1 + 1 + 1 + 0 + 1, 1 + 1 + 4 + 10 + 1)
    assert least.series == fixed + gpu + bare
    assert most.series == fixed + 4 * gpu + 10 * cpu + bare


def test_samples_and_memory_grow_with_series():
    small, large = Sizing(1, 30_000), Sizing(1, 300_000)
    assert small.samples_per_s == 30_000 / SCRAPE_INTERVAL_S
    assert small.server_memory_mib is not None
    # 30,000 × 2,900 bytes, 3 hours of 1,000 samples a second × 6 bytes, and a quarter more.
    assert small.server_memory_mib == pytest.approx((30_000 * 2900 + 1000 * 10_800 * 6) * 1.25 / 2**20)
    assert large.server_memory_mib == pytest.approx(10 * small.server_memory_mib)


def test_an_unknown_instance_type_leaves_the_sum_unknown_unless_there_may_be_none_of_it():
    spec = spec_of(MIXED.replace("MODE", "amp-only").replace("c5n.18xlarge", "x99.large"))
    least, most = sizings(spec)
    assert least.series is not None
    assert (most.series, most.samples_per_s, most.server_memory_mib) == (None, None, None)
    assert most.nodes == 17


def test_a_cluster_that_measures_nothing_makes_nothing():
    assert sizings(mixed("none")) == (Sizing(0, 0), Sizing(0, 0))


@pytest.mark.parametrize(
    ("billions", "usd"),
    [(0, 0), (1, 90), (2, 180), (3, 180 + 35), (252, 180 + 8750), (262, 180 + 8750 + 160)],
)
def test_samples_cost_less_the_more_there_are(billions: float, usd: float):
    price = amp_price(billions * 1e9 / (730 * 3600), "us-east-1")
    assert price is not None
    assert price.ingested_usd_month == pytest.approx(usd)


def test_what_is_stored_costs_by_the_gib():
    price = amp_price(1000, "us-east-1", kept_days=150)
    assert price is not None
    assert price.stored_gib == pytest.approx(1000 * 150 * 86400 * 2 / 2**30)
    assert price.stored_usd_month == pytest.approx(price.stored_gib * 0.03)


def test_other_regions_have_prices_of_their_own():
    frankfurt, hong_kong = amp_price(1000, "eu-central-1"), amp_price(1000, "ap-east-1")
    assert frankfurt is not None
    assert hong_kong is not None
    assert frankfurt.usd_month < hong_kong.usd_month


def test_a_region_without_a_public_source_has_no_price():
    assert amp_price(1000, "us-gov-west-1") is None


def test_every_figure_stands_below_a_source_that_is_told_in_full():
    used = {source for section in ("series", "memory") for source in DATA[section]}
    assert used == set(DATA["sources"])
    for told in DATA["sources"].values():
        assert set(told) == {"what", "url", "read"}
        assert told["url"].startswith("https://")
        assert re.fullmatch(r"20\d\d-\d\d-\d\d", told["read"])
