"""What was written into Grafana is told apart from what somebody has made of it, and the difference has words."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from trainyard.monitoring.grafana_data_source import data_source, data_source_uid, with_data_source
from trainyard.monitoring.grafana_mark import differences, fingerprint, mark, with_mark

DASHBOARD: dict[str, Any] = {
    "uid": "trainyard-gpu",
    "title": "GPUs",
    "tags": ["nvidia"],
    "panels": [
        {
            "id": 1,
            "title": "Temperature",
            "gridPos": {"x": 0, "y": 0},
            "datasource": {"type": "prometheus", "uid": "${datasource}"},
            "targets": [{"refId": "A", "expr": "DCGM_FI_DEV_GPU_TEMP"}],
        },
        {"id": 2, "type": "row", "title": "More", "panels": [{"id": 3, "title": "Power", "targets": []}]},
    ],
    "templating": {"list": [{"name": "datasource", "type": "datasource", "query": "prometheus"}]},
}


def of_grafana(document: dict[str, Any]) -> dict[str, Any]:
    """Return a dashboard as Grafana gives it back."""
    return {**copy.deepcopy(document), "id": 7, "version": 3}


def test_a_dashboard_that_grafana_has_numbered_is_still_what_was_written():
    written = with_mark(DASHBOARD)
    there = of_grafana(written)
    assert mark(there) == fingerprint(there) == fingerprint(DASHBOARD | {"tags": ["nvidia", "trainyard"]})


def test_marking_twice_changes_nothing():
    assert with_mark(with_mark(DASHBOARD)) == with_mark(DASHBOARD)


def test_the_tags_of_a_dashboard_stay_and_no_tag_is_longer_than_grafana_keeps():
    tags = with_mark(DASHBOARD)["tags"]
    assert tags[:2] == ["nvidia", "trainyard"]
    assert all(len(tag) <= 50 for tag in tags)


def test_a_dashboard_without_a_mark_has_none():
    assert mark(DASHBOARD) is None
    assert mark({}) is None
    assert mark({"tags": None}) is None


def test_an_edited_dashboard_is_no_longer_what_its_mark_says():
    there = of_grafana(with_mark(DASHBOARD))
    there["panels"][0]["targets"][0]["expr"] = "up"
    assert mark(there) != fingerprint(there)


def test_another_tag_is_an_edit_and_lost_marks_are_not_made_up():
    there = of_grafana(with_mark(DASHBOARD))
    there["tags"].append("mine")
    assert mark(there) != fingerprint(there)


def test_the_move_of_a_workspace_to_version_12_is_nobodys_edit():
    there = of_grafana(with_mark(with_data_source(DASHBOARD, "llm", 10)))
    moved = with_data_source(there, "llm", 12)
    assert moved["panels"][0]["datasource"]["type"] == "grafana-amazonprometheus-datasource"
    assert mark(moved) == fingerprint(moved)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d["panels"][0]["targets"][0].update(expr="up\n == 0"),
         "panel 'Temperature': query A is `up == 0` instead of `DCGM_FI_DEV_GPU_TEMP`"),
        (lambda d: d["panels"][0]["targets"].append({"refId": "B", "expr": "up"}),
         "panel 'Temperature': query B added, `up`"),
        (lambda d: d["panels"][0]["targets"].clear(), "panel 'Temperature': query A removed"),
        (lambda d: d["panels"][0].update(gridPos={"x": 1, "y": 0}), "panel 'Temperature': place changed"),
        (lambda d: d["panels"][0].update(title="T", unit="x"), "panel 'Temperature': title, unit changed"),
        (lambda d: d["panels"].append({"id": 9, "title": "Mine"}), "panel 'Mine': added"),
        (lambda d: d["panels"].pop(0), "panel 'Temperature': removed"),
        (lambda d: d["panels"][1]["panels"].clear(), "panel 'Power': removed"),
        (lambda d: d.update(title="My GPUs"), "title: changed"),
        (lambda d: d["templating"]["list"].clear(), "variables: changed"),
    ],
)  # fmt: skip
def test_a_difference_is_said_with_the_panel_and_the_query(change: Any, words: str):
    there = of_grafana(with_mark(DASHBOARD))
    change(there)
    assert differences(there, with_mark(DASHBOARD)) == (words,)


def test_a_long_query_is_shortened():
    there = of_grafana(DASHBOARD)
    there["panels"][0]["targets"][0]["expr"] = "x" * 500
    (words,) = differences(there, DASHBOARD)
    assert len(words) < 300
    assert "…" in words


def test_nothing_differs_from_itself_whatever_grafana_adds():
    assert differences(of_grafana(with_mark(DASHBOARD)), with_mark(DASHBOARD)) == ()


def test_the_uid_of_a_data_source_is_one_that_grafana_takes_and_no_two_clusters_share():
    long, longer = "a" * 50 + "-one", "a" * 50 + "-two"
    assert data_source_uid("llm") == "trainyard-llm"
    assert len(data_source_uid(long)) == len(data_source_uid("a" * 60)) == 40
    assert data_source_uid(long) != data_source_uid(longer)


def test_the_data_source_signs_with_the_role_of_the_workspace():
    made = data_source("llm", "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1/", "us-east-2", 10)
    assert made["url"] == "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-1"
    assert made["type"] == "prometheus"
    assert made["jsonData"] == {
        "httpMethod": "POST", "sigV4Auth": True, "sigV4AuthType": "workspace-iam-role", "sigV4Region": "us-east-2",
    }  # fmt: skip


def test_from_version_12_on_the_data_source_is_of_amazons_own_plugin():
    assert data_source("llm", "https://x", "us-east-2", 12)["type"] == "grafana-amazonprometheus-datasource"


def test_a_dashboard_asks_the_data_source_of_its_cluster_first():
    fixed = {"panels": [{"datasource": {"type": "prometheus", "uid": "other"}}], **DASHBOARD["templating"]}
    assert with_data_source(fixed, "llm", 10)["panels"][0]["datasource"] == {
        "type": "prometheus", "uid": "trainyard-llm",
    }  # fmt: skip
    variable = with_data_source(DASHBOARD, "llm", 10)["templating"]["list"][0]
    assert variable["current"]["value"] == "trainyard-llm"
    assert with_data_source(DASHBOARD, "llm", 10)["panels"][0]["datasource"]["uid"] == "${datasource}"
