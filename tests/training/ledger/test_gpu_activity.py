"""A ledger of starts without a line of progress, by a real Prometheus of nodes of which every minute is known."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.monitoring.life.cluster import Job, Life
from tests.monitoring.life.lived import Lived, lived
from tests.program import run
from trainyard.monitoring.alert import Alert
from trainyard.simulation.node import SimulatedNode, Spell, Trouble
from trainyard.training.ledger.attempt import Attempt
from trainyard.training.ledger.gpu_activity import GpuActivity

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]

# In minutes: when jobs had their nodes, and when the GPUs of these had work.
LLAMA = (10, 430), (440, 900)
BUSY = {"p5-1": ((19, 430), (452, 850)), "p5-2": ((19, 430), (452, 850)), "p5-3": ((30, 600),), "g5-1": ((30, 600),)}
SAVES = (129, 133), (259, 263)
HANG, SILENCE = (330, 430), (600, 640)
TRUTH = {
    "start-up": 9 + 12, "productive": 110 + 126 + 398 - 40, "save": 8, "lost": 67, "hang": 100, "unknown": 40,
    "idle": 50,
}  # fmt: skip
CONTENT = {
    "name": "planned",
    "queues": {"p5": {"instance_type": "p5.48xlarge", "gpu": "h100", "gpus": 8},
               "g5": {"instance_type": "g5.48xlarge", "gpu": "a10g", "gpus": 8}},
    "sizes": {4: {"p5": 3, "g5": 1}},
}  # fmt: skip


@dataclass(frozen=True)  # without slots, as what it comes from
class PlannedLife(Life):
    """Four nodes and three jobs, as planned above."""

    size: int = 4
    healthy: bool = True
    length_m: int = 910
    content: dict[str, Any] = field(default_factory=lambda: CONTENT)

    @property
    def alerts(self) -> tuple[Alert, ...]:
        return ()

    @cached_property
    def jobs(self) -> list[Job]:
        both = tuple(map(self.slurm_name, ("p5-1", "p5-2")))
        return [
            *(Job(11, "llama", "ana", "research", "p5", both, begin, end) for begin, end in LLAMA),
            Job(12, "older", "ana", "research", "g5", (self.slurm_name("g5-1"),), 20, 620),
            Job(13, "half", "ana", "research", "p5", (self.slurm_name("p5-3"),), 20, 620),
        ]

    @cached_property
    def nodes(self) -> list[tuple[str, SimulatedNode]]:
        found = []
        for phase, (short, times) in enumerate(BUSY.items(), 1):
            edges = [(-600, "idle"), *(edge for begin, end in times for edge in ((begin, "busy"), (end, "idle")))]
            spells = tuple(Spell(self.at(minute), activity) for minute, activity in edges)
            planned = [("checkpoint", *save) for save in SAVES]
            planned += [("hang", *HANG), ("dcgm-exporter-dead", *SILENCE)]
            troubles = tuple(Trouble(kind, self.at(begin), self.at(end)) for kind, begin, end in planned)
            queue = short.partition("-")[0]
            type_ = self.content["queues"][queue]["instance_type"]
            is_of_llama = short in ("p5-1", "p5-2")
            node = SimulatedNode(
                self.slurm_name(short), "Compute", type_, phase, spells, troubles if is_of_llama else ()
            )
            found.append((queue, node))
        return found


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lived, Path]]:
    folder = tmp_path_factory.mktemp("planned")
    with lived(folder, PlannedLife()) as life:
        starts = [(job, job.id == 11 and job.from_m == 440) for job in life.life.jobs]
        jobs = [{"job_id": job.id, "name": job.name, "nodes": ",".join(job.nodes), "restart_cnt": int(is_second),
                 "state": {"current": ["NODE_FAIL" if job.to_m == LLAMA[0][1] else "COMPLETED"]},
                 "time": {"start": int(life.life.at(job.from_m)), "end": int(life.life.at(job.to_m))},
                 "tres": {"allocated": [{"type": "gres", "name": "gpu",
                                         "count": 4 if job.name == "half" else 8 * len(job.nodes)}]}}
                for job, is_second in starts]  # fmt: skip
        (folder / "jobs.json").write_text(json.dumps({"jobs": jobs}))
        for step, (_, written_m) in enumerate(SAVES, 1):
            place = folder / "llama" / "checkpoints" / f"step-{step:09d}"
            place.mkdir(parents=True)
            (place / "manifest.json").write_text("{}")
            os.utime(place / "manifest.json", (life.life.at(written_m),) * 2)
        yield life, folder


def report(planned: tuple[Lived, Path], *more: str) -> dict[str, Any]:
    life, folder = planned
    done = run("run", "report", "--jobs", f"{folder}/jobs.json", "--prometheus", life.prometheus.url, *more, "--json")
    assert done.status == 0, done.err
    values: dict[str, Any] = json.loads(done.out)
    return values


def minutes(told: dict[str, Any]) -> dict[str, float]:
    return {kind: spent / 60_000 / told["gpus"] for kind, spent in told["gpu_ms"].items() if spent}


def of_run(values: dict[str, Any], name: str) -> dict[str, Any]:
    return next(told for told in values["runs"] if told["run"] == name)


def test_the_ledger_is_the_truth_where_metrics_say_it(planned: tuple[Lived, Path]) -> None:
    told = of_run(report(planned, "--checkpoints", f"{planned[1]}/llama/checkpoints"), "llama")
    found, allocated = minutes(told), sum(end - begin for begin, end in LLAMA)
    assert sum(told["gpu_ms"].values()) == allocated * 60_000 * 16
    wrong = {kind: (found.get(kind, 0), true) for kind, true in TRUTH.items()
             if abs(found.get(kind, 0) - true) > allocated / 100}  # fmt: skip
    assert not wrong
    assert set(found) == set(TRUTH)
    assert told["interruptions"] == 1


def test_without_checkpoints_nobody_knows_whether_what_a_failed_start_computed_is_kept(
    planned: tuple[Lived, Path],
) -> None:
    told = of_run(report(planned), "llama")
    found = minutes(told)
    assert found["productive"] == pytest.approx(358, abs=5)
    assert found["unknown"] == pytest.approx(303 + 8 + 40, abs=8)
    assert any("whether it is kept is unknown" in note for note in told["notes"])


def test_busy_gpus_whose_tensor_cores_nobody_measures_are_unknown(planned: tuple[Lived, Path]) -> None:
    told = of_run(report(planned), "older")
    assert minutes(told) == pytest.approx({"start-up": 10, "unknown": 570, "idle": 20}, abs=5)
    assert any("nobody measures tensor cores" in note for note in told["notes"])


def test_a_job_with_a_part_of_a_node_is_not_told_by_the_node(planned: tuple[Lived, Path]) -> None:
    values = report(planned)
    assert minutes(of_run(values, "half")) == {"unknown": 600}
    assert any("nodes of job 13 have more GPUs than it had" in note for note in values["notes"])


def test_on_batch_nodes_are_found_by_their_job(planned: tuple[Lived, Path]) -> None:
    life = planned[0].life
    begin_ms, end_ms = (round(1000 * life.at(minute)) for minute in LLAMA[0])
    start = Attempt("llama", "11", 0, None, begin_ms, end_ms, is_running=False, state="FAILED",
                    gpus={"node 0": 8, "node 1": 8})  # fmt: skip
    spans = GpuActivity(planned[0].api, None).spans(start)
    lengths_m = [(span.state, (span.end_ms - span.begin_ms) / 60_000) for span in spans if span.state != "missing"]
    assert [state for state, _ in lengths_m] == ["idle", *(["computing", "waiting"] * 3)]
    assert [length for _, length in lengths_m] == pytest.approx([9, 110, 4, 126, 4, 67, 100], abs=4)


def test_a_prometheus_that_does_not_answer_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": [{"job_id": 1, "nodes": "n1", "time": {"start": 1}}]}))
    done = run("run", "report", "--jobs", f"{tmp_path}/jobs.json", "--prometheus", "http://127.0.0.1:1")
    assert (done.status, "no Prometheus answers at http://127.0.0.1:1" in done.err) == (1, True)
