"""Real cases with what a person found in them: the true cause comes first, and what is harmless stays silent."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from trainyard.api.diagnose import Diagnosis, diagnose_files

CASES = Path(__file__).parents[4] / "shared" / "corpus" / "logs"
ARCHIVES = CASES / "archives"


def cases(folder: Path, pattern: str) -> list[Any]:
    found = sorted(folder.glob(pattern)) if folder.is_dir() else []
    none = [pytest.param(folder, marks=pytest.mark.skip(reason=f"there is no {folder}"))]
    return [pytest.param(one, id=one.stem if one.is_file() else one.name) for one in found] or none


SINGLE, WHOLE = cases(CASES, "*.json"), cases(ARCHIVES, "*")


def truth_of(case: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((case if case.is_file() else case / "ground-truth.json").read_text())
    return found


def of_single(case: Path, folder: Path) -> Diagnosis:
    """Diagnose the lines of a case as the log that they come from."""
    truth = truth_of(case)
    log = folder / truth["stream"]
    log.write_text("".join(f"{line}\n" for line in truth["lines"]))
    return diagnose_files(str(log))


@pytest.mark.parametrize("case", SINGLE)
def test_the_true_cause_of_some_lines_comes_first_and_harmless_ones_stay_silent(case: Path, tmp_path: Path):
    truth, found = truth_of(case), of_single(case, tmp_path)
    assert [one.cause.id for one in found.causes][:1] == ([] if truth["harmless"] else [truth["cause"]])


@pytest.mark.parametrize("case", SINGLE)
def test_a_harmless_case_is_recognised_as_what_it_is(case: Path, tmp_path: Path):
    truth, found = truth_of(case), of_single(case, tmp_path)
    assert ({truth["cause"]} if truth["harmless"] else set()) <= {one.cause.id for one in found.harmless}


@pytest.mark.parametrize("case", WHOLE)
def test_the_quiet_cause_of_an_archive_comes_before_its_loud_symptoms(case: Path):
    truth = truth_of(case)
    found = diagnose_files(str(case / truth["root"]))
    assert [one.cause.id for one in found.causes][:1] == ([truth["primary_cause"]] if truth["primary_cause"] else [])
    assert found.unread == ()


@pytest.mark.parametrize("case", WHOLE)
def test_the_evidence_holds_the_lines_that_a_person_pointed_at(case: Path):
    truth = truth_of(case)
    found = diagnose_files(str(case / truth["root"]))
    shown = [(f"{truth['root']}/{hit.file}", hit.line) for one in found.causes[:1] for hit in one.evidence]
    known = {(one["file"], one["line"]) for one in truth["evidence"]}
    assert shown[:1] == [place for place in shown[:1] if place in known]
    assert bool(shown) == bool(known)


@pytest.mark.parametrize("case", WHOLE)
def test_what_followed_is_not_the_cause_of_anything(case: Path):
    truth = truth_of(case)
    found = diagnose_files(str(case / truth["root"]))
    secondary = {(one["file"], one["line"]) for one in truth["secondary_symptoms"]}
    firsts = {(f"{truth['root']}/{one.evidence[0].file}", one.evidence[0].line) for one in found.causes}
    assert firsts & secondary == set()


@pytest.mark.parametrize("backwards", [False, True], ids=["in order", "backwards"])
@pytest.mark.parametrize("case", WHOLE)
def test_an_archive_says_the_same_as_its_folder_in_whatever_order_it_is(case: Path, tmp_path: Path, *, backwards: bool):
    truth = truth_of(case)
    files = sorted((one for one in (case / truth["root"]).rglob("*") if one.is_file()), reverse=backwards)
    with tarfile.open(tmp_path / "logs.tar.gz", "w:gz") as archive:
        for file in files:
            archive.add(file, file.relative_to(case))
    assert told(diagnose_files(str(tmp_path / "logs.tar.gz"))) == told(diagnose_files(str(case / truth["root"])))


def told(found: Diagnosis) -> list[Any]:
    return [
        (one.cause.id, one.count, one.confidence, [(other.cause.id, other.count) for other in one.consequences])
        for one in found.causes
    ]
