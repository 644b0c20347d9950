"""bench report on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.clusters import all_pairs, write_pairs
from tests.bench.texts import whole
from trainyard.submission.submitted_jobs import SubmissionRecord

P5 = ("--instance-type", "p5.48xlarge")


@pytest.fixture
def results(tmp_path: Path) -> str:
    write_pairs(tmp_path / "results", all_pairs(4), {"p5-dy-2": 1.6})
    return "results"


def test_it_prints_the_table_and_writes_the_page(trainyard, tmp_path, results):
    ran = trainyard("bench", "report", results, *P5, "-o", "report.html")
    assert ran.status == 0
    assert ran.out.startswith("Not as it should be: 3 of 6 runs of all_reduce\n")
    assert "node-2 is slower than the other nodes" in ran.out
    assert ran.err == "written: report.html\n"
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_plots_are_written_as_svg_files(trainyard, tmp_path, results):
    ran = trainyard("bench", "report", results, *P5, "--svg", "plots", "--json")
    files = sorted(one.name for one in (tmp_path / "plots").iterdir())
    assert len(files) == 5
    assert json.loads(ran.out)["written"] == [f"plots/{name}" for name in files]


def test_json_has_the_same_values_without_names_of_hosts(trainyard, results):
    ran = trainyard("bench", "report", results, *P5, "--json")
    values = json.loads(ran.out)
    assert values["schema"] == 1
    assert values["verdict"] == "degraded"
    assert values["nodes"]["slow"][0]["host"] == "node-2"
    assert "p5-dy" not in ran.out


def test_host_names_are_shown_when_asked_for(trainyard, results):
    ran = trainyard("bench", "report", results, *P5, "--with-host-names")
    assert "p5-dy-2 is slower than the other nodes" in ran.out


def test_a_page_that_is_there_is_not_replaced_without_force(trainyard, tmp_path, results):
    (tmp_path / "report.html").write_text("mine")
    ran = trainyard("bench", "report", results, *P5, "-o", "report.html")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "error: report.html exists already; choose another name, or --force to replace it\n"
    assert (tmp_path / "report.html").read_text() == "mine"
    assert trainyard("bench", "report", results, *P5, "-o", "report.html", "--force").status == 0


def test_a_file_without_results_is_status_2_and_nothing_is_written(trainyard, tmp_path):
    (tmp_path / "a.out").write_bytes(b"hello\n")
    ran = trainyard("bench", "report", "a.out", "-o", "report.html")
    assert (ran.status, ran.out) == (2, "")
    assert "no results found" in ran.err
    assert not (tmp_path / "report.html").exists()


def test_a_folder_that_cannot_be_written_is_one_clear_line(trainyard, tmp_path, results):
    (tmp_path / "file").write_text("")
    ran = trainyard("bench", "report", results, *P5, "-o", "file/report.html")
    assert ran.status == 1
    assert ran.err.count("\n") == 1
    assert "could not write file/report.html" in ran.err


def test_standard_input_has_a_name_of_its_own(trainyard):
    ran = trainyard("bench", "report", "-", *P5, "--nodes", "2", standard_input=whole().decode())
    assert ran.status == 0
    assert "standard input" in ran.out


def test_names_that_command_the_terminal_are_shown_harmless(trainyard, tmp_path):
    (tmp_path / "a\x1b]0;x\x07.out").write_bytes(whole())
    ran = trainyard("bench", "report", "a\x1b]0;x\x07.out", *P5)
    assert ran.status == 0
    assert "\x1b" not in ran.out + ran.err


def test_a_baseline_is_told(trainyard, results):
    ran = trainyard("bench", "report", results, *P5, "--baseline", results, "--json")
    assert any(one.startswith("Beside earlier runs: ") for one in json.loads(ran.out)["summary"])


def test_judge_finds_the_slow_node_of_the_same_files(trainyard, results):
    ran = trainyard("bench", "judge", results, *P5, "--json")
    runs = json.loads(ran.out)["runs"]
    slow = [run["file"] for run in runs if any(finding["id"] == "bench-slow-node" for finding in run["findings"])]
    assert slow == [f"results/pair-00{at}.out" for at in (0, 3, 4)]
    assert ran.status == 1


def test_gpus_whose_network_is_not_known_are_shown_below_their_ceiling_alone(trainyard, tmp_path):
    (tmp_path / "a.out").write_bytes(whole())
    ran = trainyard("bench", "report", "a.out", "-o", "report.html")
    assert ": 99% of the 490 that its GPUs can; its network is not known." in ran.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "ceiling, 490 GB/s" in page
    assert "expected, confidence" not in page
    assert "Expected:" not in page


def test_it_names_the_cluster_of_the_folder_and_another_where_one_is_given(trainyard, tmp_path, results):
    SubmissionRecord("llm-p5", "here", "/there").write(tmp_path / "results")
    assert "  6 runs of llm-p5, made at a time that they do not tell.\n" in trainyard("bench", "report", results).out
    assert "  6 runs of other, made" in trainyard("bench", "report", results, "--cluster", "other").out


def test_metrics_are_written_and_take_the_place_of_former_ones(trainyard, tmp_path, results):
    (tmp_path / "bench.prom").write_text("former")
    ran = trainyard("bench", "report", results, *P5, "--metrics", "bench.prom")
    assert (ran.status, ran.err) == (0, "written: bench.prom\n")
    samples = [line for line in (tmp_path / "bench.prom").read_text().splitlines() if not line.startswith("#")]
    labels = 'collective="all_reduce",tested_instance_type="p5.48xlarge",nodes="2",ranks="16"'
    assert [sample.split("{")[0] for sample in samples] == [
        "trainyard_bench_busbw_bytes_per_second",
        "trainyard_bench_expected_busbw_bytes_per_second",
    ]
    assert all(f"{{{labels}}} " in sample for sample in samples)
