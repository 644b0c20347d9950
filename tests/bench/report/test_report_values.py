"""What a report knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.report import reports


def test_the_verdict_is_the_worst_and_the_headline_counts(tmp_path: Path):
    values = reports.pairs(tmp_path)
    assert values["verdict"] == "degraded"
    assert values["headline"] == "Not as it should be: 5 of 15 runs of all_reduce"


def test_the_slow_node_stands_before_what_it_explains(tmp_path: Path):
    values = reports.pairs(tmp_path)
    assert [finding["id"] for finding in values["findings"]] == ["bench-slow-node", "bench-below-expectation"]
    assert values["findings"][0]["messages"][0]["runs"] == values["nodes"]["slow"][0]["runs"]
    assert values["summary"][0].startswith("node-3 is slower than the other nodes: all 5 runs with node-3 reach")


def test_nodes_and_pairs_have_their_shares(tmp_path: Path):
    (group,) = reports.pairs(tmp_path)["nodes"]["by_runs"]
    best = {host["host"]: host["best_share"] for host in group["hosts"]}
    assert best.pop("node-3") == pytest.approx(1 / 1.6, rel=0.03)
    assert min(best.values()) > 0.95
    assert len(group["pairs"]) == 15
    assert all((pair["share"] < 0.7) == ("node-3" in pair["hosts"]) for pair in group["pairs"])


def test_no_name_of_a_host_is_left_unless_asked_for(tmp_path: Path):
    assert "p5-dy" not in json.dumps(reports.growing(tmp_path / "a"))
    assert "p5-dy-1:4000" in json.dumps(reports.growing(tmp_path / "b", with_host_names=True))


def test_files_are_called_by_what_is_below_their_common_folder(tmp_path: Path):
    values = reports.growing(tmp_path)
    assert [run["name"] for run in values["runs"]] == [f"nodes-{nodes}.out" for nodes in (1, 2, 4, 8)]


def test_versions_settings_and_evidence_are_there(tmp_path: Path):
    values = reports.growing(tmp_path)
    versions = {version["name"]: version["values"] for version in values["versions"]}
    assert versions["nccl"] == [{"value": "2.29.3", "runs": 4}]
    assert values["environment"] == [{"name": "NCCL_PROTO", "values": [{"value": "Simple", "runs": 4}]}]
    assert {"name": "network cards of a node", "values": [{"value": "31", "runs": 4}]} in values["network"]
    assert any("found 31 nics" in one["text"] for one in values["evidence"])
    assert {"bench-fewer-nics", "bench-versions", "bench-setting-hurts"} <= {
        finding["id"] for finding in values["findings"]
    }


def test_charts_have_what_was_measured_expected_published_and_possible(tmp_path: Path):
    charts = reports.growing(tmp_path)["charts"]
    assert [chart["title"] for chart in charts][:2] == [
        "all_reduce on 1 × p5.48xlarge, 8 ranks", "all_reduce on 2 × p5.48xlarge, 16 ranks",
    ]  # fmt: skip
    two = charts[1]
    assert two["runs"][0]["points"][-1] == {"size_bytes": 2**34, "busbw_gb_s": 487.09, "time_us": 66132.0}
    assert two["references"][0]["points"][-1]["busbw_gb_s"] == pytest.approx(487.09, abs=0.01)
    for one in two["expected"]:
        assert one["least_gb_s"] <= one["busbw_gb_s"] <= one["most_gb_s"]
    assert (two["ceiling_gb_s"], two["confidence"]) == (490, "high")


def test_scaling_is_told_in_the_summary_with_what_the_hardware_allows(tmp_path: Path):
    values = reports.growing(tmp_path)
    (series,) = values["scaling"]
    assert [one["nodes"] for one in series["measured"]] == [1, 2, 4, 8]
    assert series["forecast"][-1]["nodes"] == 1024
    told = next(one for one in values["summary"] if "keeps" in one)
    assert told.startswith("all_reduce keeps ")
    assert told.endswith(" from 2 to 8 nodes at 16 GiB, where the hardware allows 82% at most.")


def test_processes_of_each_node_are_there_by_size(tmp_path: Path):
    values = reports.processes(tmp_path)
    (one,) = values["nodes"]["by_processes"]
    assert one["sizes_bytes"] == [4294967296, 8589934592]
    assert {row["host"]: row["ratios"][0] for row in one["hosts"]} == pytest.approx(
        {"node-1": 1.0, "node-2": 1.0, "node-3": 1.4, "node-4": 1.0}
    )
