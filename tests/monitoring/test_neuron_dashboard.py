"""The dashboard of Neuron devices on an hour of two nodes with Trainium in a real Prometheus."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.monitoring.an_hour import LENGTH_S, record_hour, write_blocks
from tests.monitoring.prometheus import Prometheus, real_prometheus
from tests.monitoring.whole_cluster.trainium import STEP_S, trainium_samples
from trainyard.monitoring.dashboard import dashboards

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
(DASHBOARD,) = [dashboard for dashboard in dashboards() if dashboard.id == "neuron-devices"]
EVERYTHING = {"$cluster": ".*", "$queue": ".*", "$node": ".*", "$__rate_interval": "2m"}


@pytest.fixture(scope="module")
def hour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    folder = tmp_path_factory.mktemp("trainium")
    end_s = int(time.time()) // STEP_S * STEP_S
    write_blocks(folder, trainium_samples(folder, range(end_s - LENGTH_S, end_s + 1, STEP_S)))
    record_hour(folder, end_s)
    with real_prometheus(folder, {}) as prometheus:
        yield prometheus


def answer(hour: Prometheus, panel_id: str) -> list[dict[Any, float]]:
    (panel,) = [panel for panel in DASHBOARD.panels() if panel.id == panel_id]
    exprs = [query.expr for query in panel.queries]
    for variable, value in EVERYTHING.items():
        exprs = [expr.replace(variable, value) for expr in exprs]
    return [hour.ask(expr) for expr in exprs]


@pytest.mark.parametrize("panel", [panel.id for panel in DASHBOARD.panels() if panel.id != "silent"])
def test_every_panel_has_data(hour: Prometheus, panel: str):
    assert all(any(not math.isnan(value) for value in found.values()) for found in answer(hour, panel))


def test_the_node_that_hangs_is_the_one_with_no_executions(hour: Prometheus):
    (found,) = answer(hour, "executions")
    rates = {dict(labels)["node_name"]: value for labels, value in found.items()}
    assert rates["ip-10-0-17-2"] == 0
    assert rates["ip-10-0-17-1"] > 0
    # Its utilization says the opposite.
    (found,) = answer(hour, "utilization")
    assert {dict(labels)["node_name"]: value for labels, value in found.items()}["ip-10-0-17-2"] == 1


def test_nan_in_executions_and_repaired_memory_are_named(hour: Prometheus):
    (failing,) = answer(hour, "failing-nodes")
    assert [dict(labels)["error_type"] for labels in failing] == ["numerical"]
    (ecc,) = answer(hour, "ecc")
    assert [(dict(labels)["neuron_device_index"], value) for labels, value in ecc.items()] == [("15", 3)]
