"""Checks one file, whosever it is: a spec by the rules about specs, a file of another tool by those about its kind."""

from __future__ import annotations

import re

from trainyard.checking.spec_file import FileFindings, OutsideReader, OutsideValidator, check_text, unread
from trainyard.edge.text_file import read_text
from trainyard.errors import FindingsError

# What plainly is a spec need not be recognised at length.
_SPEC = re.compile(r"^(?:queues:|kind: +environment\b)", re.MULTILINE)


def check_any_file(
    file: str,
    outside: tuple[OutsideValidator, ...] = (),
    readers: tuple[OutsideReader, ...] = (),
    *,
    named: bool = True,
) -> FileFindings:
    """Return everything that is wrong with a file, worst first. Load errors are findings too.

    A file that its user did not name, but a folder that it is in, is not taken for a spec unless it plainly is one.
    """
    try:
        text = read_text(file)
    except FindingsError as error:
        return unread(file, error) if named else FileFindings(file, None, (), not_judged=error.findings[0].message)
    return check_any_text(text, file, outside, readers, named=named)


def check_any_text(
    text: str,
    file: str,
    outside: tuple[OutsideValidator, ...] = (),
    readers: tuple[OutsideReader, ...] = (),
    *,
    named: bool = True,
) -> FileFindings:
    """Return everything that is wrong with the text of a file, as above."""
    if _SPEC.search(text):
        return check_text(text, file, outside)
    # Imported here because most files that are checked are specs.
    from trainyard.checking.foreign_file import check_foreign

    return check_foreign(text, file, readers, named=named) or check_text(text, file, outside)
