"""What makes generated runs slow, against what was planted in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import run
from tests.training.stragglers.planted_ranks import KINDS, write_run
from trainyard.training.stragglers.rank_times import RankTimes, rank_times
from trainyard.training.stragglers.verdict import verdict_of


def times_of(folder: Path) -> RankTimes:
    times = rank_times([file.read_bytes().splitlines() for file in folder.iterdir()])
    assert times is not None
    return times


def is_right(folder: Path, kind: str, seed: int, steps: int) -> bool:
    truth, verdict = write_run(folder, kind, seed, steps), verdict_of(times_of(folder))
    return (verdict.cause, frozenset(verdict.nodes)) == (truth.cause, truth.nodes)


@pytest.mark.parametrize("kind", ["none", "gpu", "node", "stage", "work", "pauses"])
def test_what_was_planted_is_found(tmp_path: Path, kind: str):
    truth = write_run(tmp_path, kind, 1, 60)
    verdict = verdict_of(times_of(tmp_path))
    assert (verdict.cause, frozenset(verdict.nodes)) == (truth.cause, truth.nodes)
    if truth.nodes:
        assert {rank.place.rank for rank in verdict.slow} == truth.ranks
        assert verdict.gain == pytest.approx(truth.gain, abs=0.02)


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_nine_of_ten_planted_causes_are_found(tmp_path: Path, kind: str):
    right = sum(is_right(tmp_path / str(seed), kind, seed, 200) for seed in range(1000, 1020))
    assert right >= 18


def test_one_rank_alone_has_no_others_to_be_compared_with(tmp_path: Path):
    write_run(tmp_path, "gpu", 1, 20)
    assert rank_times([(tmp_path / "rank-0.jsonl").read_bytes().splitlines()]) is None


def test_the_report_names_the_node_to_check(tmp_path: Path):
    folder = tmp_path / "llama" / "progress"
    truth = write_run(folder, "gpu", 3, 60)
    (node,) = truth.nodes
    done = run("run", "report", "--progress", str(folder))
    assert done.status == 0, done.err
    assert f"trainyard-node health` on {node}" in done.out
    values = json.loads(run("run", "report", "--progress", str(folder), "--json").out)
    assert values["runs"][0]["stragglers"]["nodes"] == [node]
