"""The lines that prove a case of the corpus, found in an archive of it by their file, line and time."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.diagnose.scanning.known import known
from trainyard.diagnose.line_time import time_of
from trainyard.diagnose.reading import log_files
from trainyard.diagnose.scanning.scan import scan

CASES = Path(__file__).parents[4] / "shared" / "corpus" / "logs" / "archives"
NO_CASES = [pytest.param(CASES, marks=pytest.mark.skip(reason=f"there is no {CASES}"))]


def cases() -> list[Any]:
    found = sorted(CASES.iterdir()) if CASES.is_dir() else []
    return [pytest.param(one, id=one.name) for one in found] or NO_CASES


@pytest.mark.parametrize("case", cases())
def test_evidence_is_found_at_its_file_line_and_time(case: Path, tmp_path: Path):
    truth = json.loads((case / "ground-truth.json").read_text())
    with tarfile.open(tmp_path / "case.tar.gz", "w:gz") as archive:
        archive.add(case / truth["root"], truth["root"])
    wanted = {f"line-{number}": one for number, one in enumerate(truth["evidence"])}
    # Whole lines, which is why their variable parts need no pattern.
    patterns = known({name: re.escape(one["text"]).replace("\\ ", " ") for name, one in wanted.items()})
    with log_files(str(tmp_path / "case.tar.gz")) as source:
        result = scan(source.files, unread=source.unread, known=patterns)
    assert not result.unread
    for name, one in wanted.items():
        hits = [hit for hit in result.hits if hit.signature == name]
        assert (one["file"], one["line"]) in {(hit.file, hit.line) for hit in hits}
        assert all(one["text"] in hit.text and hit.time for hit in hits)
        assert all(hit.time == time_of(hit.text) for hit in hits if time_of(hit.text))
