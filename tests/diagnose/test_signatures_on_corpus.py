"""Real failures and harmless look-alikes, each with its true cause: what single lines tell of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.found import causes_of_line, causes_of_lines
from tests.each_case import each_case
from trainyard.diagnose.cause import causes

CASES = Path(__file__).parents[3] / "shared" / "corpus" / "logs"
NO_CASES = [pytest.param(CASES, marks=pytest.mark.skip(reason=f"there is no {CASES}"))]


def cases(pattern: str) -> list[Any]:
    found = sorted(CASES.glob(pattern)) if CASES.is_dir() else []
    return [pytest.param(one, id=one.stem) for one in found] or NO_CASES


@each_case("case", cases("*.json"))
def test_the_best_signature_of_a_failure_is_that_of_its_cause(case: Path):
    truth = json.loads(case.read_text())
    found = causes_of_lines(line for text in truth["lines"] for line in text.splitlines())
    loud = [one.id for one in found if one.severity != "harmless"]
    assert loud[:1] == ([] if truth["harmless"] else [truth["cause"]])


@each_case("case", cases("*.json"))
def test_each_cause_that_a_person_found_is_known(case: Path):
    truth = json.loads(case.read_text())
    assert truth["cause"] in causes()
    assert (causes()[truth["cause"]].severity == "harmless") == truth["harmless"]


@pytest.mark.parametrize("case", cases("archives/*healthy*"))
def test_a_healthy_archive_holds_nothing_but_harmless_lines(case: Path):
    truth = case / "ground-truth.json"
    assert json.loads(truth.read_text())["harmless"]
    files = [one for one in case.rglob("*") if one.is_file() and one != truth]
    lines = {line for one in files for line in one.read_text(errors="replace").splitlines()}
    assert [line for line in lines if any(one.severity != "harmless" for one in causes_of_line(line))] == []
