"""Judging results of bandwidth tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trainyard.bench.case import case_of
from trainyard.bench.judge import Judgement, judge, judge_together
from trainyard.bench.judgement_values import values_of
from trainyard.bench.reading import read_runs
from trainyard.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.bench.result import Run

__all__ = ["Judged", "Judgement", "judge_files", "values_of"]


class Judged(NamedTuple):
    """A run of a file, judged."""

    file: str
    judgement: Judgement


def judge_files(
    files: tuple[str, ...], *, instance_type: str | None = None, nodes: int | None = None, baseline: str | None = None
) -> Iterator[Judged]:
    """Yield the verdict on every run of files, folders, or standard input for ``-``.

    All runs are judged together: several of them can show which node is slow.
    ``baseline`` is a file or folder of earlier runs. Each run is compared with the one of the same collective and
    number of ranks, the last where there are several.

    Raises InputError where a file has no run, or what is said of it cannot be so.
    """
    names, judgements = [], []
    earlier = {_kind(run): run for _, run in read_runs((baseline,))} if baseline is not None else {}
    for file, run in read_runs(files):
        before = earlier.get(_kind(run))
        if baseline is not None and before is None:
            raise InputError(
                f"no run of {run.collective} with {run.ranks} ranks to compare {file} with",
                where=baseline,
                hint="compare tests of the same collective and the same number of ranks",
            )
        names.append(file)
        judgements.append(judge(case_of(run, instance_type, nodes), before))
    yield from map(Judged, names, judge_together(judgements))


def _kind(run: Run) -> tuple[str | None, int | None]:
    return run.collective, run.ranks
