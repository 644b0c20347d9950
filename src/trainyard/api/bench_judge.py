"""Judging results of bandwidth tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainyard.bench.case import case_of
from trainyard.bench.judge import Judgement, judge
from trainyard.bench.judgement_values import values_of
from trainyard.bench.reading import read_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Judged", "Judgement", "judge_files", "values_of"]


class Judged(NamedTuple):
    """A run of a file, judged."""

    file: str
    judgement: Judgement


def judge_files(
    files: tuple[str, ...], *, instance_type: str | None = None, nodes: int | None = None
) -> Iterator[Judged]:
    """Yield the verdict on every run of files, folders, or standard input for ``-``.

    Raises InputError where a file has no run, or what is said of it cannot be so.
    """
    for file, run in read_runs(files):
        yield Judged(file, judge(case_of(run, instance_type, nodes)))
