"""The lines that prove a case, found in its archive by their file, line and time."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.diagnose.log_cases import ARCHIVE_CASES, archive_of
from tests.diagnose.scanning.known import known
from trainyard.diagnose.line_time import time_of
from trainyard.diagnose.reading import log_files
from trainyard.diagnose.scanning.scan import scan


@pytest.mark.parametrize("case", ARCHIVE_CASES)
def test_evidence_is_found_at_its_file_line_and_time(case: dict[str, Any]):
    wanted = {f"line-{number}": one for number, one in enumerate(case["evidence"])}
    # Whole lines, which is why their variable parts need no pattern.
    patterns = known({name: re.escape(one["text"]).replace("\\ ", " ") for name, one in wanted.items()})
    with log_files(str(archive_of(case))) as source:
        result = scan(source.files, unread=source.unread, signature_table=patterns)
    assert not result.unread
    for name, one in wanted.items():
        hits = [hit for hit in result.hits if hit.signature == name]
        assert (one["file"], one["line"]) in {(hit.file, hit.line) for hit in hits}
        assert all(one["text"] in hit.text and hit.time for hit in hits)
        assert all(hit.time == time_of(hit.text) for hit in hits if time_of(hit.text))
