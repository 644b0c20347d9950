"""Judging results of bandwidth tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trainyard.bench.file_judgement import FileJudgement, judge_files
from trainyard.bench.judge import Judgement
from trainyard.bench.judgement_values import values_of
from trainyard.errors import InputError

__all__ = ["FileJudgement", "Judgement", "causes_of_deaths", "judge_files", "values_of"]

_DIED = {"bench-run-died", "bench-no-rows"}


def causes_of_deaths(judged: Iterable[FileJudgement]) -> dict[str, dict[str, Any] | None]:
    """Return by file what `trainyard diagnose` says first of each in which a test did not come to its end.

    None where it knows nothing of it. Standard input is gone once it was read.
    """
    died = {one.file for one in judged if _DIED & {finding.id for finding in one.judgement.findings}}
    return {file: _first_cause(file) for file in sorted(died - {"-"})}


def _first_cause(file: str) -> dict[str, Any] | None:
    from trainyard.diagnose.diagnosis_values import diagnosis_values  # noqa: PLC0415  only a run that died needs it
    from trainyard.diagnose.file_diagnosis import diagnose_files  # noqa: PLC0415

    try:
        causes: list[dict[str, Any]] = diagnosis_values(diagnose_files(file))["causes"]
    except InputError:
        return None
    return causes[0] if causes else None
