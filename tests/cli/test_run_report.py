"""run report on the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.program import run
from tests.training.ledger.runs import storm
from tests.training.stragglers.test_flight_recorder import DUMPS
from trainyard.monitoring.registry import registry


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    known = storm(2)
    jobs = [{"job_id": 7, "name": "llama<b>", "nodes": "n[1-2]", "restart_cnt": start.restart,
             "state": {"current": [start.state]},
             "time": {"start": start.begin_ms // 1000, "end": start.end_ms // 1000},
             "tres": {"allocated": [{"type": "gres", "name": "gpu", "count": 16}]}}
            for start in known.attempts]  # fmt: skip
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": jobs}))
    progress = tmp_path / "llama" / "progress"
    progress.mkdir(parents=True)
    (progress / "rank-0.jsonl").write_text("\n".join(known.lines))
    return tmp_path


def report(folder: Path, *more: str) -> Any:
    done = run("run", "report", "--jobs", f"{folder}/jobs.json", *more, "--json")
    assert done.status == 0, done.err
    return json.loads(done.out)


def test_time_adds_up_to_the_gpu_hours_allocated(folder: Path) -> None:
    values = report(folder, "--progress", f"{folder}/llama/progress", "--usd-per-gpu-hour", "2")
    (told,) = values["runs"]
    assert sum(told["gpu_ms"].values()) == sum(
        (start["end_ms"] - start["begin_ms"]) * start["gpus"] for start in told["attempts"]
    )
    truth = storm(2).truth
    assert told["goodput"] == pytest.approx(truth["productive"] / sum(truth.values()), abs=0.01)
    assert told["ettr"] < told["goodput"]  # the queue between starts counts in it
    assert told["usd_per_useful_gpu_hour"] == pytest.approx(2 / told["goodput"])
    assert told["mtbf_h"] * told["interruptions"] * 16 == pytest.approx(told["gpu_hours"])


def test_without_progress_all_is_unknown_and_no_goodput_is_shown(folder: Path) -> None:
    (told,) = report(folder)["runs"]
    assert told["goodput"] is None
    assert [part["kind"] for part in told["time"]] == ["unknown"]
    text = run("run", "report", "--jobs", f"{folder}/jobs.json").out
    assert "GPU-hours of which nothing is known" in text
    assert "no price is known" in text


def test_the_page_has_the_same_and_keeps_names_text(folder: Path) -> None:
    page = folder / "report.html"
    done = run("run", "report", "--jobs", f"{folder}/jobs.json", "--progress", f"{folder}/llama/progress",
               "-o", str(page))  # fmt: skip
    assert done.status == 0, done.err
    text = page.read_text()
    assert "llama&lt;b&gt;" in text
    assert "default-src 'none'" in text
    assert "productive" in text
    again = run("run", "report", "--jobs", f"{folder}/jobs.json", "-o", str(page))
    assert again.status == 2


def test_half_written_checkpoints_of_a_folder_are_told(folder: Path) -> None:
    kept = folder / "llama"
    (kept / "step-000000100.partial").mkdir()
    for step, size in ((100, 3), (200, 99)):
        place = kept / f"step-{step:09d}"
        place.mkdir()
        (place / "part").write_text("abc")
        (place / "manifest.json").write_text(json.dumps({"part": size}))
    (told,) = report(folder, "--checkpoints", str(kept))["runs"]
    assert "2 half-written checkpoints not counted" in told["notes"]


@pytest.mark.parametrize("arguments", [[], ["--progress", "nowhere"], ["--jobs", "nowhere"]])
def test_nothing_to_account_for_is_an_error(arguments: list[str]) -> None:
    assert run("run", "report", *arguments).status == 2


def test_a_run_brings_its_price_and_its_gpus(folder: Path) -> None:
    assert run("new", "p5-observability", "-o", f"{folder}/cluster.yaml").status == 0
    assert run("run", "new", "-o", f"{folder}/run.yaml").status == 0
    (folder / "jobs.json").write_text((folder / "jobs.json").read_text().replace("llama<b>", "first-fsdp"))
    values = report(folder, f"{folder}/run.yaml", "--progress", f"{folder}/llama/progress")
    (told,) = values["runs"]
    assert told["run"] == "first-fsdp"
    assert "p5.48xlarge" in values["price_source"]
    assert 0 < told["utilisation"]["mfu"] < 0.001
    assert told["utilisation"]["peak_tflop_s"] == 989.4
    planned = json.loads(run("run", "plan", f"{folder}/run.yaml", "--work-h", "700", "--json").out)
    least, most = planned["expected"]["wall_h_90_percent"]
    assert 700 < least <= planned["expected"]["wall_h"] <= most
    assert len(planned["changes"]) == 4


def test_what_nodes_cost_without_a_run_is_told_with_all_runs(folder: Path) -> None:
    nodes = {"nodes": [{"id": "i-1", "hostname": "spare", "role": "compute", "instance_type": "p5.48xlarge",
             "state": "running", "launched": "2026-01-01T00:00:00Z", "started": "2026-01-01T00:00:00Z", "seconds": 3600,
             "status": "ready"}], "gone": []}  # fmt: skip
    (folder / "nodes.json").write_text(json.dumps(nodes))
    values = report(folder, "--nodes", f"{folder}/nodes.json")
    (told,) = values["runs"]
    assert values["outside"]["gpu_ms"]["boot"] == 8 * 3_600_000
    assert values["outside"]["gpu_ms"]["idle"] > 0
    assert values["total"]["gpu_hours"] == pytest.approx(told["gpu_hours"] + values["outside"]["gpu_hours"])
    done = run("run", "report", "--jobs", f"{folder}/jobs.json", "--nodes", f"{folder}/nodes.json")
    assert "nodes without a run: " in done.out


def test_metrics_say_what_the_report_says_and_names_stay_labels(folder: Path) -> None:
    jobs = (folder / "jobs.json").read_text().replace("llama<b>", 'a\\"b\\\\\\n')
    (folder / "jobs.json").write_text(jobs)
    place = folder / "run.prom"
    for _ in range(2):  # as a timer does
        values = report(folder, "--progress", f"{folder}/llama/progress", "--metrics", str(place))
    (told,) = values["runs"]
    assert (told["run"], values["written"]) == ('a"b\\\n', [str(place)])
    lines = place.read_text().splitlines()
    label = 'run="a\\"b\\\\\\n"'
    seconds = [float(line.rpartition(" ")[2]) for line in lines if line.startswith("trainyard_run_gpu_seconds{")]
    assert sum(seconds) == pytest.approx(told["gpu_hours"] * 3600)
    assert f"trainyard_run_goodput_ratio{{{label}}} {told['goodput']:.15g}" in lines
    assert not any("usd" in line for line in lines)  # without a price
    assert not any(line.startswith("trainyard_nodes") for line in lines)
    told_names = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert told_names <= {name for name in registry("timers") if name.startswith("trainyard_run_")}


@pytest.mark.integration
def test_promtool_finds_nothing_to_say_of_the_metrics(folder: Path) -> None:
    report(folder, "--progress", f"{folder}/llama/progress", "--usd-per-gpu-hour", "2", "--metrics", f"{folder}/m.prom")
    text = (folder / "m.prom").read_bytes()
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    assert (done.returncode, done.stderr, done.stdout) == (0, b"", b"")


def test_dumps_of_one_of_several_runs_get_the_places_of_that_run(folder: Path) -> None:
    first = json.loads((folder / "jobs.json").read_text())["jobs"]
    jobs = [
        {**job, "name": name, "job_id": number} for number, name in enumerate(("alpha", "beta"), 7) for job in first
    ]
    (folder / "jobs.json").write_text(json.dumps({"jobs": jobs}))
    words = []
    for name in ("alpha", "beta"):
        progress = folder / name / "progress"
        progress.mkdir(parents=True)
        line = {"event": "start", "time": 1_780_000_060, "rank": 2, "node": f"of-{name}", "gpu": 5}
        (progress / "rank-2.jsonl").write_text(json.dumps(line) + "\n")
        words += ["--progress", str(progress)]
    shutil.copytree(DUMPS / "json", folder / "alpha" / "dumps")
    alpha, beta = report(folder, *words, "--flight-recorder", f"{folder}/alpha/dumps")["runs"]
    assert {rank["node"] for rank in alpha["flight_recorder"]["behind"] if rank["rank"] == 2} == {"of-alpha"}
    assert beta["flight_recorder"] is None
