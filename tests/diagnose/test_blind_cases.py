"""Logs written from public threads and catalogues before anybody looked at the signatures.

``decisive`` is what the first two lines of the answer have to say; where it is null, nothing is wrong. How many were
right at first contact stands in benchmarks/README.md.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each_case import each_case
from trainyard.api.diagnose import diagnose_files, has_errors

_CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "log_cases" / "blind.json").read_text())
CASES = [pytest.param(case, id=case["id"]) for case in _CASES]


@each_case("case", CASES)
def test_the_decisive_line_is_shown_at_once_and_nothing_is_wrong_with_healthy_logs(
    case: dict[str, Any], tmp_path: Path
):
    log = tmp_path / case["id"] / case["stream"]
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"{line}\n" for line in case["lines"]))
    diagnosis = diagnose_files(str(log))
    if case["decisive"] is None:
        assert not has_errors(diagnosis)
    else:
        assert any(case["decisive"] in hit.text for hit in diagnosis.causes[0].evidence[:2])
        assert has_errors(diagnosis) != case.get("warning", False)
