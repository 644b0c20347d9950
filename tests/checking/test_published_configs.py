"""Configurations that people have published, with the defects that they are known to have: how many are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.each_case import each_case
from tests.oracles import PUBLISHED_CONFIGS, needs
from trainyard.checking.any_file import check_any_file
from trainyard.finding import Finding

CASES = [path.parent for path in sorted(PUBLISHED_CONFIGS.glob("*/meta.json"))]
# The file cannot be read up to it: the error before it is found.
BEYOND_REACH = {"capacity-reservation-arn-typo"}


def facts_of(case: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads((case / "meta.json").read_text())
    return facts


def findings_of(case: Path) -> tuple[Finding, ...]:
    facts = facts_of(case)
    return check_any_file(str(case / facts.get("schema_checked_file", facts["files"][0]))).findings


def is_found(defect: dict[str, Any], findings: tuple[Finding, ...]) -> bool:
    """Return whether anything is said at the place of a defect, above it or below it."""
    place = defect["path"]
    if place.startswith("line "):
        return any(finding.line is not None and abs(finding.line - int(place[5:])) <= 1 for finding in findings)
    paths = [finding.path for finding in findings if finding.path]
    return any(f"{path}.".startswith((f"{place}.", f"{place}[")) or _is_below(place, path) for path in paths)


def _is_below(place: str, path: str) -> bool:
    return place.startswith((f"{path}.", f"{path}["))


@needs(PUBLISHED_CONFIGS)
@each_case("case", CASES, ids=lambda case: case.name)
def test_every_error_that_is_known_is_found(case: Path):
    findings = findings_of(case)
    errors = [defect for defect in facts_of(case)["defects"] if defect["severity"] == "error"]
    assert [each["id"] for each in errors if not is_found(each, findings)] == [
        each["id"] for each in errors if each["id"] in BEYOND_REACH
    ]


@needs(PUBLISHED_CONFIGS)
def test_nine_of_ten_warnings_that_are_known_are_found():
    warnings = [(case, each) for case in CASES for each in facts_of(case)["defects"] if each["severity"] == "warning"]
    missed = [(case.name, each["id"]) for case, each in warnings if not is_found(each, findings_of(case))]
    assert len(missed) <= len(warnings) * 0.1, missed


@needs(PUBLISHED_CONFIGS)
@each_case("case", CASES, ids=lambda case: case.name)
def test_no_file_that_is_known_to_be_good_has_an_error(case: Path):
    if facts_of(case)["clean"]:
        assert [finding for finding in findings_of(case) if finding.severity == "error"] == []
