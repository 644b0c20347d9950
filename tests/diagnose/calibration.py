"""How often the answer is right where it says how sure it is, over all cases whose cause a person found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.diagnose.log_cases import ARCHIVES, BLIND, CHAINS, LINES, archive_of, shows
from trainyard.api.diagnose import Diagnosis, diagnose_files, has_errors
from trainyard.diagnose.cause import CONFIDENCES

NONE = "nothing"
"""Instead of a confidence, where no error is found."""


class Judgement(NamedTuple):
    """What was answered to a case."""

    sort: str
    """Of the case."""
    id: str
    confidence: str
    """Of the first cause; NONE where the answer is that no error is known."""
    subject: str
    """Of the first cause; of an answer without one, what kind of log it is of."""
    is_right: bool


def judgements(folder: Path) -> Iterator[Judgement]:
    """Diagnose all cases, and yield what comes of each. Logs are written into a folder."""
    for case in LINES:
        right = None if case["harmless"] else case["cause"]
        yield _by_cause("lines of one log", case["id"], _of_lines(case, folder), right)
    for case in ARCHIVES:
        yield _by_cause("composed", case["id"], diagnose_files(str(archive_of(case))), case["primary_cause"])
    for case in CHAINS:
        _write(case["files"], folder / case["id"])
        yield _by_evidence("several logs", case, diagnose_files(str(folder / case["id"])))
    for case in BLIND:
        diagnosis = _of_lines(case, folder)
        if case["decisive"] is None:
            yield _by_cause("blind", case["id"], diagnosis, None)
        else:
            yield _by_evidence("blind", case, diagnosis)


def table(judged: Iterable[Judgement]) -> str:
    """Return for each sort of cases and each subject how many answers are right, by how sure they are."""
    all_judged = list(judged)
    groups = {
        sort: [one for one in all_judged if one.sort == sort] for sort in dict.fromkeys(j.sort for j in all_judged)
    }
    groups["all"] = all_judged
    groups |= {
        f"answers of {name}": [one for one in all_judged if one.subject == name]
        for name in sorted({one.subject for one in all_judged} - {NONE})
    }
    head = "| Cases | " + " | ".join([*CONFIDENCES, NONE]) + " |"
    rows = [f"| {name} | " + " | ".join(_cell(members, sure) for sure in (*CONFIDENCES, NONE)) + " |"
            for name, members in groups.items()]  # fmt: skip
    return "\n".join([head, "|---" * (len(CONFIDENCES) + 2) + "|", *rows])


def share_right(judged: Iterable[Judgement], confidence: str) -> float:
    """Return which part of the answers that are so sure is right."""
    answers = [one.is_right for one in judged if one.confidence == confidence]
    return sum(answers) / len(answers)


def _cell(judged: Iterable[Judgement], confidence: str) -> str:
    answers = [one.is_right for one in judged if one.confidence == confidence]
    return f"{sum(answers)} of {len(answers)}" if answers else ""


def _of_lines(case: dict[str, Any], folder: Path) -> Diagnosis:
    _write({case["stream"]: case["lines"]}, folder / case["id"])
    return diagnose_files(str(folder / case["id"] / case["stream"]))


def _write(logs: dict[str, list[str]], folder: Path) -> None:
    for name, lines in logs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))


def _by_evidence(sort: str, case: dict[str, Any], diagnosis: Diagnosis) -> Judgement:
    evidence = [hit.text for cause in diagnosis.causes[:1] for hit in cause.evidence[:2]]
    return _judgement(sort, case["id"], diagnosis, is_right=shows(case, evidence))


def _by_cause(sort: str, case: str, diagnosis: Diagnosis, right: str | None) -> Judgement:
    first = diagnosis.causes[0].cause.id if diagnosis.causes and (right or has_errors(diagnosis)) else None
    return _judgement(sort, case, diagnosis, is_right=first == right)


def _judgement(sort: str, case: str, diagnosis: Diagnosis, *, is_right: bool) -> Judgement:
    if not diagnosis.causes or (is_right and not has_errors(diagnosis)):
        return Judgement(sort, case, NONE, NONE, is_right)
    first = diagnosis.causes[0]
    return Judgement(sort, case, first.confidence, first.cause.subject, is_right)
