"""Logs written from public threads and catalogues before anybody looked at the signatures.

How many were right at first contact stands in benchmarks/README.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.diagnose.log_cases import BLIND, BLIND_CASES, shows
from tests.each_case import each_case
from trainyard.api.diagnose import diagnose_files, has_errors

LEAST, LEAST_HARMLESS = 220, 80


@each_case("case", BLIND_CASES)
def test_the_decisive_line_is_shown_at_once_and_nothing_is_wrong_with_healthy_logs(
    case: dict[str, Any], tmp_path: Path
):
    log = tmp_path / case["id"] / case["stream"]
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"{line}\n" for line in case["lines"]))
    diagnosis = diagnose_files(str(log))
    if case["decisive"] is None:
        assert not has_errors(diagnosis)
        return
    assert shows(case, (hit.text for hit in diagnosis.causes[0].evidence[:2]))
    assert case.get("warning", False) in {None, not has_errors(diagnosis)}


def test_there_are_enough_of_them_and_none_stands_twice():
    assert len({case["id"] for case in BLIND}) == len(BLIND) >= LEAST
    assert sum(case["decisive"] is None for case in BLIND) >= LEAST_HARMLESS
