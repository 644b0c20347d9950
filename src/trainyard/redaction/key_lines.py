"""Private keys of which the beginning is missing, as at the start of what was cut: the lines before the last one."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_KEY = 20_000
"""Letters. A key of 16,384 bits is 13,000 letters long, and each of its lines may have a time before it."""
_END = b"-----END "
_LAST_LINE = re.compile(r"^(?P<before>[^\n]{0,100}?)-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----", re.MULTILINE)
# 64 letters, and fewer in the last one: https://www.rfc-editor.org/rfc/rfc7468#section-2. Some write 76.
_LINE = re.compile(r"[A-Za-z0-9+/]{40,100}={0,2}\r?")
_SHORT_LINE = re.compile(r"[A-Za-z0-9+/]{1,100}={0,2}\r?")
_NUMBERED_LINE = re.compile(r"[^\n]{0,100}(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{60,100}={0,2}\r?")
_FULL_LINE = re.compile(rb"[^\n]{0,100}(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{60,100}\r?\n?")


def headless_keys(text: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where the lines of keys go whose first line is missing, without the last line."""
    for match in _LAST_LINE.finditer(text):
        start = _first_line(text, match.start(), len(match["before"]))
        if start < match.start():
            yield start + len(match["before"]), match.start() - 1


def headless_keys_of(block: bytes) -> list[tuple[int, int]]:
    """Return from where to where such keys go in a block, with their last line."""
    places, place = [], block.find(_END)
    while place >= 0:
        line_end = block.find(b"\n", place)
        line_end = len(block) if line_end < 0 else line_end
        first = max(0, place - LONGEST_KEY)
        region = block[first:line_end].decode("latin-1")  # a letter for each byte
        places += [(first + region.rfind("\n", 0, start) + 1, line_end) for start, _ in headless_keys(region)][-1:]
        place = block.find(_END, line_end)
    return places


def may_go_on(line: bytes) -> bool:
    """Return whether a line may be one of a key that goes on behind it."""
    return _FULL_LINE.fullmatch(line) is not None


def _first_line(text: str, end: int, before: int) -> int:
    """Return where the lines begin that end before a place, each with as many letters before its part of the key.

    The last one may be short, and so may the one with which the text begins.
    """
    start = end
    while start > max(0, end - LONGEST_KEY):
        line_start = text.rfind("\n", 0, start - 1) + 1
        shape = _SHORT_LINE if start == end or line_start == 0 else _LINE
        key = min(line_start + before, start - 1)
        # A number before it, such as that of a process or a line, may have fewer letters or more.
        if not (shape.fullmatch(text, key, start - 1) or _NUMBERED_LINE.fullmatch(text, line_start, start - 1)):
            break
        start = line_start
    return start
