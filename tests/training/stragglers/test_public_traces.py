"""What makes the labelled runs of a public study slow: public_traces.json says where they are from."""

from __future__ import annotations

import json
from array import array
from pathlib import Path
from typing import Any

import pytest

from trainyard.training.stragglers.rank_times import Place, RankTimes
from trainyard.training.stragglers.verdict import verdict_of

TRACES: dict[str, Any] = json.loads(Path(__file__).with_name("public_traces.json").read_text())["traces"]


def times_of(trace: dict[str, Any], *, stages: bool, gpus: int = 8) -> RankTimes:
    places = tuple(
        Place(rank["rank"], f"node-{rank['rank'] // gpus}", rank["rank"] % gpus, rank["stage"] if stages else None)
        for rank in trace["ranks"]
    )
    own_s = tuple(array("d", rank["compute_s"]) for rank in trace["ranks"])
    return RankTimes(places, own_s, array("d", trace["step_s"]), (0.0,) * len(places), 0, len(trace["step_s"]) - 1)


@pytest.mark.parametrize("stages", [True, False], ids=["stages told", "stages unknown"])
@pytest.mark.parametrize("name", TRACES)
def test_the_label_of_a_public_trace_is_the_verdict(name: str, *, stages: bool):
    trace = TRACES[name]
    verdict = verdict_of(times_of(trace, stages=stages))
    assert verdict.cause == trace["cause"]
    assert sorted(rank.place.rank for rank in verdict.slow) == trace["slow"]
    assert verdict.stage == (trace["stage"] if stages else None)


@pytest.mark.parametrize("name", [name for name, trace in TRACES.items() if trace["gain"]])
def test_what_a_public_run_would_gain_is_near_what_its_authors_simulated(name: str):
    trace = TRACES[name]
    assert verdict_of(times_of(trace, stages=True)).gain == pytest.approx(trace["gain"], abs=0.05)
