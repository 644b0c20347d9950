"""Real cases with what a person found in them: the true cause comes first, and what is harmless stays silent."""

from __future__ import annotations

import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.log_cases import ARCHIVE_CASES, LINE_CASES, archive_of, unpacked
from trainyard.api.diagnose import Diagnosis, diagnose_files


def of_lines(case: dict[str, Any], folder: Path) -> Diagnosis:
    """Diagnose the lines of a case as the log that they come from."""
    log = folder / case["stream"]
    log.write_text("".join(f"{line}\n" for line in case["lines"]))
    return diagnose_files(str(log))


@cache
def of_archive(archive: Path) -> Diagnosis:
    """Diagnose an archive, once for all tests that look at what is found in it."""
    return diagnose_files(str(archive))


@pytest.mark.parametrize("case", LINE_CASES)
def test_the_true_cause_of_some_lines_comes_first_and_harmless_ones_are_known_and_silent(
    case: dict[str, Any], tmp_path: Path
):
    diagnosis = of_lines(case, tmp_path)
    assert [cause.cause.id for cause in diagnosis.causes][:1] == ([] if case["harmless"] else [case["cause"]])
    assert ({case["cause"]} if case["harmless"] else set()) <= {one.cause.id for one in diagnosis.harmless}


@pytest.mark.parametrize("case", ARCHIVE_CASES)
def test_the_quiet_cause_of_an_archive_comes_before_its_loud_symptoms(case: dict[str, Any]):
    found = of_archive(archive_of(case))
    assert [cause.cause.id for cause in found.causes][:1] == ([case["primary_cause"]] if case["primary_cause"] else [])
    assert found.unread == ()


@pytest.mark.parametrize("case", ARCHIVE_CASES)
def test_the_evidence_holds_the_lines_that_a_person_pointed_at(case: dict[str, Any]):
    diagnosis = of_archive(archive_of(case))
    shown = [(hit.file, hit.line) for cause in diagnosis.causes[:1] for hit in cause.evidence]
    known = {(one["file"], one["line"]) for one in case["evidence"]}
    assert shown[:1] == [place for place in shown[:1] if place in known]
    assert bool(shown) == bool(known)


@pytest.mark.parametrize("case", ARCHIVE_CASES)
def test_what_followed_is_not_the_cause_of_anything(case: dict[str, Any]):
    diagnosis = of_archive(archive_of(case))
    secondary = {
        (secondary_symptom["file"], secondary_symptom["line"]) for secondary_symptom in case["secondary_symptoms"]
    }
    firsts = {(cause.evidence[0].file, cause.evidence[0].line) for cause in diagnosis.causes}
    assert firsts & secondary == set()


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "backwards"])
@pytest.mark.parametrize("case", ARCHIVE_CASES)
def test_an_archive_says_the_same_as_its_folder_in_whatever_order_it_is(
    case: dict[str, Any], tmp_path: Path, *, backwards: bool
):
    root = unpacked(case, tmp_path)
    files = sorted((path for path in root.rglob("*") if path.is_file()), reverse=backwards)
    with tarfile.open(tmp_path / "logs.tar.gz", "w:gz") as archive:
        for file in files:
            archive.add(file, file.relative_to(tmp_path))
    assert told(diagnose_files(str(tmp_path / "logs.tar.gz"))) == told(diagnose_files(str(root)))


def told(found: Diagnosis) -> list[Any]:
    return [
        (cause.cause.id, cause.count, cause.confidence, [(other.cause.id, other.count) for other in cause.consequences])
        for cause in found.causes
    ]
