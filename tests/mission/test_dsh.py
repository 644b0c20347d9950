"""Dashboards."""

from __future__ import annotations

import json

from tests.mission.subject import files

EN = "p5en-monitoring"
ALL = "monitoring.cloudwatch_metrics=[system, gpu, efa, slurm]"


def titles(suffix: str) -> list[str]:
    name = f"monitoring/cloudwatch/ParallelCluster-p5en-48xlarge-cluster{suffix}.json"
    widgets = json.loads(files(EN, ALL)[name])["widgets"]
    return [str(widget["properties"].get("title", "")) for widget in widgets if widget["type"] != "text"]


def test_dsh_1_the_main_dashboard_has_its_widgets():
    text = " ".join(titles("")).lower()
    assert len(titles("")) >= 12
    for word in ("cpu", "memory", "network", "volume", "fsx", "slurm"):
        assert word in text


def test_dsh_2_the_advanced_dashboard_has_its_widgets():
    assert len(titles("-Advanced")) >= 11


def test_dsh_3_the_efa_dashboard_has_its_widgets():
    assert len(titles("-EFA")) >= 8
    assert any("errors" in title.lower() or "dropped" in title.lower() for title in titles("-EFA"))


def test_dsh_4_grafana_has_the_four_dashboards_and_more():
    for name in ("gpu-performance", "nvlink-bandwidth", "efa-network", "slurm-jobs"):
        assert json.loads(files(EN)[f"monitoring/grafana/{name}.json"])["panels"]
