"""Real outputs as others have published them, each with what a person has found in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench.figures import figures_of, published_figures
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.result import Measurement, Run

CASES = Path(__file__).parents[3] / "shared" / "corpus" / "bench"
NO_CASES = [pytest.param(CASES, marks=pytest.mark.skip(reason=f"oracle: outputs that others published, in {CASES}"))]
# What a thread or a file name told the person and no line of the output says.
TOLD_ELSEWHERE = {"b14-a3high-2n-allgather-tcpx": {"collective"}, "b59-p4d-2n-error-step-sweep": {"versions"}}
VERSIONS = {"nccl_tests": "nccl-tests", "ofi_plugin": "plugin"}


def cases() -> list[Any]:
    paths = sorted(CASES.iterdir()) if CASES.is_dir() else []
    return [pytest.param(path, id=path.name) for path in paths] or NO_CASES


def read(case: Path) -> tuple[list[Run], dict[str, Any]]:
    return parse_log([(case / "output.txt").read_bytes()]), json.loads((case / "meta.json").read_text())


@pytest.mark.parametrize("case", cases())
def test_the_figures_that_are_kept_are_those_of_the_output(case: Path):
    (run,), _ = read(case)
    (kept,) = [
        published_figure["run"] for published_figure in published_figures() if published_figure["id"] == case.name
    ]
    assert figures_of(run) == kept


def measured(runs: list[Run], *, in_place: bool) -> list[Measurement]:
    both = [(row.out_of_place, row.in_place) for run in runs for row in run.rows]
    return [measurement for one in both if (measurement := one[in_place]) is not None]


@pytest.mark.parametrize("case", cases())
def test_rows_are_those_that_a_person_counted(case: Path):
    runs, truth = read(case)
    assert sum(len(run.rows) for run in runs) == truth["rows"]
    assert sum(run.damaged_rows for run in runs) == truth["incomplete_rows"]


@pytest.mark.parametrize("case", cases())
def test_the_best_bandwidths_are_those_of_the_truth(case: Path):
    runs, truth = read(case)
    out_of_place, in_place = (measured(runs, in_place=one) for one in (False, True))
    assert max((one.busbw_gb_s for one in out_of_place), default=None) == truth["max_busbw_out_of_place_gb_s"]
    assert max((measurement.busbw_gb_s for measurement in in_place), default=None) == truth["max_busbw_in_place_gb_s"]
    best = next((run.best for run in runs if run.best), None)
    assert (best.size_bytes if best else None) == truth["at_size_bytes"]


@pytest.mark.parametrize("case", cases())
def test_what_stands_around_the_table_is_read(case: Path):
    runs, truth = read(case)
    run = runs[0]
    told = TOLD_ELSEWHERE.get(case.name, set())
    if "collective" not in told:
        assert run.collective == truth["collective"]
    if truth["nics_found"] is not None:
        assert run.transport.nics == truth["nics_found"]
    if truth["ranks_listed"] is not None:
        assert len(run.devices) == truth["ranks_listed"]
        assert len(run.hosts) == truth["hosts_listed"]
    if "versions" not in told:
        assert truth["versions_seen"].items() <= {_old_name(key): value for key, value in run.versions.items()}.items()


def _old_name(key: str) -> str:
    return next((old for old, new in VERSIONS.items() if new == key), key)


@pytest.mark.parametrize("case", cases())
def test_sums_at_the_end_are_read(case: Path):
    runs, truth = read(case)
    averages = [run.average_busbw_gb_s for run in runs if run.average_busbw_gb_s is not None]
    assert (averages or None) == truth["avg_busbw_reported"]
    bounds = [list(run.out_of_bounds) for run in runs if run.out_of_bounds is not None]
    assert (bounds or None) == truth["out_of_bounds_reported"]
    wrongs = [run.wrong_total for run in runs if run.wrong_total is not None]
    assert (sum(wrongs) if wrongs else None) == truth["wrong_total"]
