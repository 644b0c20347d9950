"""Which jobs of a submission count as good, by what their output says."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from tests.bench.texts import CLOSING, HEADER, OPENING, P5_TWO_NODES, row, rows
from trainyard.api.bench_judge import FileJudgement
from trainyard.api.bench_submit import JobResult
from trainyard.bench.case import case_of
from trainyard.bench.gpu_check import check_gpus
from trainyard.bench.judge import judge
from trainyard.bench.nccl_log import parse_log
from trainyard.submission.job import PlannedJob
from trainyard.submission.submission import JobOutcome

ALONE = (*OPENING[1:3], OPENING[5])
IDLE = tuple(row((size, count, "10.00", f"{size / 1e4:.2f}", "0.00", "10.00", f"{size / 1e4:.2f}", "0.00"))
             for size, count, *_ in P5_TWO_NODES)  # fmt: skip


def good(*lines: str, type_: str | None, measures: Literal["gpu-sweep", "cpu-sweep"] = "gpu-sweep") -> bool:
    job = PlannedJob("sweep", "a sweep", measures, 1, "q", "p5.4xlarge", 10, "", {})
    outcome = JobOutcome(job, "7", "COMPLETED", "", Path("sweep_7.out"))
    (run,) = parse_log(["\n".join(lines).encode()])
    return JobResult(outcome, (FileJudgement("sweep_7.out", judge(case_of(run, type_))),)).good


def test_one_gpu_has_nothing_to_be_held_against_and_is_good():
    assert good(*ALONE, *HEADER, *IDLE, *CLOSING, type_="p5.4xlarge")


def test_one_gpu_with_wrong_results_is_not_good():
    wrong = (*IDLE[:-1], IDLE[-1].removesuffix("0") + "3")
    assert not good(*ALONE, *HEADER, *wrong, *CLOSING, type_="p5.4xlarge")


def test_several_gpus_of_which_nothing_is_known_are_not_called_good():
    assert not good(*OPENING, *HEADER, *rows(), *CLOSING, type_="g5.xlarge")


def test_several_gpus_that_are_as_fast_as_others_are_good():
    assert good(*OPENING, *HEADER, *rows(), *CLOSING, type_="p5.48xlarge")


@pytest.mark.parametrize("measures", ["cpu-sweep", "gpu-sweep"])
def test_a_sweep_on_cpus_is_good_where_its_results_are_right(measures: Literal["gpu-sweep", "cpu-sweep"]):
    opening = [line.replace("NVIDIA H100 80GB HBM3", "CPU, TCP ring") for line in OPENING]
    assert good(*opening, *HEADER, *rows(), *CLOSING, type_=None, measures=measures)


def test_gpus_are_good_where_the_check_of_each_is():
    job = PlannedJob("gpu-check", "each GPU by itself", "gpus", 1, "q", "p5.4xlarge", 10, "", {}, gpus=1)
    outcome = JobOutcome(job, "7", "COMPLETED", "", Path("gpu-check_7.out"))
    one = '{"gpu_check": 1, "host": "n", "device": 0, "name": "NVIDIA H200", "bf16_tflop_s": 700, "memory_gb_s": 4100}'
    assert JobResult(outcome, gpus=check_gpus(one, 1)).good
    assert not JobResult(outcome, gpus=check_gpus(one.replace("700", "70"), 1)).good
