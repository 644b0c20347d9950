"""What fails first in one log, and is seen in others: composed of lines that programs print, before any was tried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.diagnose.log_cases import CHAIN_CASES, shows
from tests.each_case import each_case
from trainyard.api.diagnose import diagnose_files


@each_case("case", CHAIN_CASES)
def test_the_cause_comes_first_and_adopts_what_follows_and_nothing_else(case: dict[str, Any], tmp_path: Path):
    folder = tmp_path / case["id"]
    for name, lines in case["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    first, *others = diagnose_files(str(folder)).causes
    assert shows(case, (hit.text for hit in first.evidence[:2]))
    own = {hit.text for hit in first.evidence}
    followed = {hit.text for one in first.consequences for hit in one.evidence} - own
    assert [text for text in followed for words in case.get("apart", []) if words in text] == []
    assert [one.cause.id for one in others if one.cause.severity == "error"] == [] or "apart" in case
    assert {first.cause.id, *(one.cause.id for one in others)}.isdisjoint(one.cause.id for one in first.consequences)
