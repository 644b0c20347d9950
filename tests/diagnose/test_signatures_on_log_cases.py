"""Real failures and harmless look-alikes, each with its true cause: what single lines tell of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.found import causes_of_line, causes_of_lines
from tests.diagnose.log_cases import HEALTHY_CASES, LINE_CASES, unpacked
from tests.each_case import each_case
from trainyard.diagnose.cause import causes


@each_case("case", LINE_CASES)
def test_the_best_signature_of_a_failure_is_that_of_its_cause(case: dict[str, Any]):
    found = causes_of_lines(line for text in case["lines"] for line in text.splitlines())
    loud = [cause.id for cause in found if cause.severity != "harmless"]
    assert loud[:1] == ([] if case["harmless"] else [case["cause"]])


@each_case("case", LINE_CASES)
def test_each_cause_that_a_person_found_is_known(case: dict[str, Any]):
    assert case["cause"] in causes()
    assert (causes()[case["cause"]].severity == "harmless") == case["harmless"]


@pytest.mark.parametrize("case", HEALTHY_CASES)
def test_a_healthy_archive_holds_nothing_but_harmless_lines(case: dict[str, Any], tmp_path: Path):
    files = [path for path in unpacked(case, tmp_path).rglob("*") if path.is_file()]
    lines = {line for file in files for line in file.read_text(errors="replace").splitlines()}
    assert [line for line in lines if any(cause.severity != "harmless" for cause in causes_of_line(line))] == []
