"""Lines that leave open what is wrong, and the values and neighbours that decide it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.diagnose.log_cases import FACT_CASES, shows
from tests.each_case import each_case
from trainyard.api.diagnose import diagnose_files


@each_case("case", FACT_CASES)
def test_the_answer_is_that_of_the_value_that_decides(case: dict[str, Any], tmp_path: Path):
    log = tmp_path / case["id"] / case["stream"]
    log.parent.mkdir(parents=True)
    log.write_text("".join(f"{line}\n" for line in case["lines"]))
    first = diagnose_files(str(log)).causes[0]
    assert shows(case, (hit.text for hit in first.evidence[:2]))
    answer = " ".join([first.cause.title, first.cause.explanation, first.cause.remedy, *first.facts]).lower()
    assert [word for word in case["says"] if word in answer]
    assert not (case.get("unsure") and first.confidence == "certain")
