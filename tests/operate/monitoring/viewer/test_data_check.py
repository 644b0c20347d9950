"""Which dashboards have data."""

from __future__ import annotations

import pytest

from tests.operate.monitoring.viewer.fake_source import FakeSource
from trainyard.edge.prometheus_api import Labels
from trainyard.errors import TrainyardError
from trainyard.monitoring.dashboard import dashboards
from trainyard.operate.monitoring.viewer.data_check import dashboards_data


def test_every_panel_of_every_dashboard_is_looked_at():
    dashboard_datas = dashboards_data(FakeSource([({}, 0.0)]))
    assert [(dashboard_data.id, dashboard_data.with_data) for dashboard_data in dashboard_datas] == [
        (dashboard.id, tuple(panel.id for panel in dashboard.panels())) for dashboard in dashboards()
    ]


def test_a_panel_that_is_rightly_empty_is_told_apart():
    dashboard_datas = dashboards_data(FakeSource())
    for dashboard_data, dashboard in zip(dashboard_datas, dashboards(), strict=True):
        assert dashboard_data.with_data == ()
        assert dashboard_data.rightly_empty == tuple(panel.id for panel in dashboard.panels() if panel.may_be_empty)
        assert len(dashboard_data.rightly_empty) + len(dashboard_data.empty) == len(list(dashboard.panels()))


class WithoutSlurm(FakeSource):
    """Has nothing of Slurm."""

    def _found(self, expr: str) -> list[tuple[Labels, float]]:
        return [] if "slurm_" in expr else super()._found(expr)


@pytest.mark.parametrize(
    ("node_type", "state"), [("Compute", "rightly_empty"), ("HeadNode", "empty")], ids=["eks", "parallelcluster"]
)
def test_jobs_of_slurm_are_only_missed_where_there_is_a_head_node(node_type: str, state: str):
    source = WithoutSlurm([({"node_type": "Compute"}, 1.0), ({"node_type": node_type}, 1.0)])
    found = {dashboard_data.id: dashboard_data for dashboard_data in dashboards_data(source)}
    assert "running" in getattr(found["slurm-jobs"], state)


def test_an_error_of_one_query_is_told_for_its_panel():
    def refuse(asked: str) -> None:
        if "node_load1" in asked:
            raise TrainyardError("too many samples")

    found = {one.id: one for one in dashboards_data(FakeSource([({}, 1.0)], before=refuse))}
    assert found["host-system"].failed == {"load": "too many samples"}
    assert found["storage"].failed == {}


def test_nobody_that_answers_is_an_error():
    with pytest.raises(TrainyardError, match="down"):
        dashboards_data(FakeSource(fails=TrainyardError("down")))


OF_DEVICES = {"gpu-performance", "neuron-devices"}


@pytest.mark.parametrize(
    ("instance_type", "missed"),
    [("p5.48xlarge", {"gpu-performance"}), ("trn1.32xlarge", {"neuron-devices"}), ("x99.metal", OF_DEVICES)],
)
def test_devices_are_only_missed_where_a_type_of_node_has_them(instance_type: str, missed: set[str]):
    nodes = [{"node_type": "HeadNode"}, {"node_type": "Compute", "instance_type": instance_type}]

    class WithoutDevices(FakeSource):
        def _found(self, expr: str) -> list[tuple[Labels, float]]:
            return super()._found(expr) if "(up{" in expr else []

    found = {one.id: one.empty for one in dashboards_data(WithoutDevices([(labels, 1.0) for labels in nodes]))}
    assert {name for name in OF_DEVICES if found[name]} == missed
