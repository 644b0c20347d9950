"""Outputs of many programs in many wrappings: read as they are, or named as unreadable."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bench.foreign_outputs import WRAPPINGS, cases, content, figure, points
from tests.bench.test_mutations import MEASURED
from tests.bench.texts import whole
from trainyard.bench.file_judgement import judge_files
from trainyard.bench.judge import Judgement
from trainyard.bench.nccl_log import parse_log
from trainyard.bench.result import Measurement, Row, busbw

ALL = [pytest.param(case, id=name) for name, case in cases().items()]
READ = [
    pytest.param(case, id=name) for name, case in cases().items() if case.get("exact", True) and "unread" not in case
]
# Written on 2026-11-29 before they were run, as their authors' programs print them.
TEXTS = [
    pytest.param(case, id=case["id"]) for case in json.loads(Path(__file__).with_name("foreign_texts.json").read_text())
]
UNREAD = [pytest.param(case, id=name) for name, case in cases().items() if "unread" in case]
# What may stand before a line: words, times, numbers, quotes, brackets, in any order.
PREFIXES = st.lists(
    st.one_of(
        st.text("abcdefghijklmnopqrstuvwxyz-_./@", min_size=1, max_size=20),
        st.integers(0, 10**10).map(str),
        st.sampled_from(
            ["|", ">", "[pod/a/b]", "2026-03-04T10:20:30.123Z", "[1,0]<stdout>:", "Mar  4 10:20:30", "INFO", "-"]
        ),
    ),
    max_size=6,
).map(" ".join)


def judgements_of(case: dict[str, Any], folder: Path) -> list[Judgement]:
    """Return what is found in the file of a case, with what its user would say beside it."""
    file = folder / "output"
    file.write_bytes(content(case))
    named = case.get("ask") or (case.get("curve") and not case.get("tool") and not case.get("unnamed"))
    found = judge_files(
        (str(file),),
        instance_type=case.get("type") if named else None,
        nodes=case["nodes"] if case.get("ask") else None,
    )
    return [one.judgement for one in found]


@pytest.mark.parametrize("case", READ)
def test_every_figure_is_read_whatever_stands_around_it(case: dict[str, Any], tmp_path: Path):
    judgements = judgements_of(case, tmp_path)
    rows = [(row.size_bytes, busbw(row)) for judgement in judgements for row in judgement.case.run.rows]
    expected = points(case) * case.get("runs", 1)
    assert [size for size, _ in rows] == [size for size, _ in expected]
    assert [value for _, value in rows] == pytest.approx([float(figure(value, 6)) for _, value in expected], abs=0.006)
    if "bare" not in case.get("options", ()):
        assert {judgement.case.run.collective for judgement in judgements} == {case.get("collective", "all_reduce")}
    assert [judgement.case.run.unread for judgement in judgements] == [None] * len(judgements)


@pytest.mark.parametrize("case", UNREAD)
def test_a_table_that_nobody_can_read_is_named_and_not_judged(case: dict[str, Any], tmp_path: Path):
    (judgement,) = judgements_of(case, tmp_path)
    (finding,) = (finding for finding in judgement.findings if finding.id == "bench-unread-table")
    assert (judgement.verdict, judgement.case.run.rows) == ("unknown", [])
    assert finding.message.startswith(f"line {finding.line} is a table that `bench judge` cannot read")


@pytest.mark.parametrize("case", ALL)
def test_the_verdict_is_right(case: dict[str, Any], tmp_path: Path):
    judgements = judgements_of(case, tmp_path)
    assert {judgement.verdict for judgement in judgements} <= set(case["verdict"])
    ids = {finding.id for judgement in judgements for finding in judgement.findings}
    assert "finding" not in case or any(id_.startswith(f"bench-{case['finding']}") for id_ in ids)


@pytest.mark.parametrize("case", TEXTS)
def test_what_a_text_holds_is_told_and_no_more(case: dict[str, Any], tmp_path: Path):
    file = tmp_path / "output"
    file.write_text("".join(f"{line}\n" for line in case["lines"]))
    (judgement,) = [one.judgement for one in judge_files((str(file),))]
    run = judgement.case.run
    assert judgement.verdict in case["verdict"]
    assert {finding.id for finding in judgement.findings} >= {case.get("finding")} - {None}
    assert ("bench-unread-table" in {finding.id for finding in judgement.findings}) is case.get("unread", False)
    told = {"collective": run.collective, "ranks": run.ranks, "rows": len(run.rows)}
    told["largest"] = max((row.size_bytes for row in run.rows), default=0)
    assert {key: told[key] for key in told if key in case} == {key: case[key] for key in told if key in case}


@given(PREFIXES)
def test_no_prefix_of_all_lines_takes_a_row_or_adds_one(prefix: str):
    runs = parse_log([whole(f"{prefix} ")])
    assert {row._replace(line=0) for run in runs for row in run.rows} == MEASURED
    assert sum(run.damaged_rows for run in runs) == 0


@given(st.sampled_from(sorted(WRAPPINGS)), PREFIXES, st.integers(0, 60))
def test_a_wrapping_within_another_and_cut_anywhere_adds_no_figure(wrapping: str, prefix: str, cut: int):
    lines = [f"{prefix} {line}"[: len(line) + len(prefix) + 1 - cut] for line in whole().decode().splitlines()]
    runs = parse_log([WRAPPINGS[wrapping](lines)])
    assert figures_of(row for run in runs for row in run.rows) <= figures_of(MEASURED)


def figures_of(rows: Iterable[Row]) -> set[tuple[int, Measurement]]:
    """Return the figures of both halves: of a table that was cut through, its first half is a whole table."""
    return {(row.size_bytes, half) for row in rows for half in (row.out_of_place, row.in_place) if half}
