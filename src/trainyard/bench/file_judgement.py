"""The verdicts on runs in files, held against each other and against earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from trainyard.bench.case import case_of
from trainyard.bench.judge import Judgement, judge, judge_together
from trainyard.bench.machine import by_accelerator, machine
from trainyard.bench.result import Run
from trainyard.bench.result_files import read_runs
from trainyard.catalog import instances
from trainyard.errors import InputError


class FileJudgement(NamedTuple):
    """A run of a file, judged."""

    file: str
    judgement: Judgement


def judge_files(
    files: tuple[str, ...],
    *,
    instance_type: str | None = None,
    nodes: int | None = None,
    baseline: str | None = None,
    without: list[InputError] | None = None,
) -> Iterator[FileJudgement]:
    """Yield the verdict on every run of files, folders, or standard input for ``-``.

    All runs are judged together: several of them can show which node is slow.
    ``baseline`` is a file or folder of earlier runs. Each run is compared with the one of the same collective and
    number of ranks, the last where there are several; where ranks are not known, with the only one of its collective.
    ``without`` takes what is wrong with files that have no run; without it the first of them ends the judging.

    Raises InputError where a file has no run, or what is said of it cannot be so.
    """
    if instance_type is not None:
        _refuse_unknown(instance_type)
    names, judgements = [], []
    earlier = [run for _, run in read_runs((baseline,))] if baseline is not None else []
    for file, run in read_runs(files, without):
        before = _earlier(run, earlier)
        if baseline is not None and before is None:
            ranks = "an unknown number of" if run.ranks is None else run.ranks
            raise InputError(
                f"no run of {run.collective or 'an unknown collective'} with {ranks} ranks to compare {file} with",
                where=baseline,
                hint="compare tests of the same collective and the same number of ranks",
            )
        names.append(file)
        judgements.append(judge(case_of(run, instance_type, nodes), before))
    yield from map(FileJudgement, names, judge_together(judgements))


def _refuse_unknown(instance_type: str) -> None:
    if instances.find(instance_type) or machine(instance_type) or by_accelerator(instance_type):
        return
    near = get_close_matches(instance_type, instances.names(), 3, 0.6)
    hint = f"near: {', '.join(near)}" if near else "`trainyard instances` lists those that are known"
    raise InputError(f"{instance_type} is not known", where="--instance-type", hint=hint)


def _earlier(run: Run, earlier: list[Run]) -> Run | None:
    """Return the last earlier run of the same collective and ranks, or the only one that may be."""
    alike = [before for before in earlier if before.collective == run.collective]
    same = [before for before in alike if before.ranks == run.ranks]
    if same:
        return same[-1]
    unclear = len(alike) == 1 and None in (run.ranks, alike[0].ranks)
    return alike[0] if unclear else None
