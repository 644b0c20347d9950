"""What the page is told of dashboards, and that its files are what they should be."""

from __future__ import annotations

import json
import re
from pathlib import Path

from trainyard.monitoring.dashboard import dashboards
from trainyard.monitoring.features import NEEDS
from trainyard.operate.monitoring.viewer import server
from trainyard.operate.monitoring.viewer.description import _why_empty, description
from trainyard.operate.monitoring.viewer.server import page_files as files

PAGE = Path(server.__file__).with_name("page")


def test_every_dashboard_and_panel_is_described_in_its_order():
    told = [
        (one["id"], [panel["id"] for row in one["rows"] for panel in row["panels"]])
        for one in description()["dashboards"]
    ]
    assert told == [(dashboard.id, [panel.id for panel in dashboard.panels()]) for dashboard in dashboards()]
    json.dumps(description(), allow_nan=False)


def test_a_panel_says_whether_it_is_of_the_whole_cluster_whichever_node_is_chosen():
    (overview,) = (one for one in description()["dashboards"] if one["id"] == "cluster-overview")
    whole = {panel["id"]: panel["whole"] for row in overview["rows"] for panel in row["panels"]}
    assert (whole["jobs"], whole["events"], whole["efa"]) == (True, False, False)


def test_an_empty_panel_says_when_that_is_right():
    assert _why_empty((), "") == ""
    assert _why_empty(("efa", "slurm"), "all are well") == "the cluster has no EFA or no Slurm; or all are well"
    assert _why_empty(("gpu", "nvlink", "gpu"), "") == "the cluster has no GPUs or no NVLink"
    assert _why_empty(("slurm",), "") == "the cluster has no Slurm"


def test_there_are_words_for_everything_that_a_panel_may_need():
    assert [need for need in NEEDS if not _why_empty((need,), "").removeprefix("the cluster has no ")] == []


def test_the_page_is_sent_with_all_that_it_names_and_nothing_else():
    named = set(re.findall(r'(?:href|src)="([\w.]+)"', (PAGE / "index.html").read_text(encoding="utf-8")))
    imported = {
        name
        for file in PAGE.glob("*.js")
        for name in re.findall(r'from "\./([\w.]+)"', file.read_text(encoding="utf-8"))
    }
    assert named | imported | {"index.html"} == {*files(), "description"}


def test_nothing_in_the_page_makes_markup_of_text_or_asks_another_host():
    for file in PAGE.iterdir():
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|style=|onclick", text), file
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), file
