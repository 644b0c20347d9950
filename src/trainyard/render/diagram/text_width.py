"""How much room text takes, and how it is wrapped or shortened to take less. A picture has no layout engine."""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache
from itertools import accumulate, takewhile
from typing import NamedTuple

from trainyard.render.data_files import data

ELLIPSIS = "…"


class Type(NamedTuple):
    """A size and weight of letters."""

    size: float
    bold: bool = False


@lru_cache(maxsize=4096)
def text_width(text: str, letters: Type) -> float:
    """Return the width of a text in pixels, in the widest of the fonts that it may be shown in."""
    widths, other = _widths(bold=letters.bold)
    return sum(widths.get(character, other) for character in text) * letters.size / 1000


def shorten(text: str, letters: Type, width: float) -> str:
    """Return a text that fits into a width, with an ellipsis where something had to go."""
    if text_width(text, letters) <= width:
        return text
    beginning = text[: _fitting(text, letters, width - text_width(ELLIPSIS, letters))]
    return beginning.rstrip() + ELLIPSIS


@lru_cache(maxsize=4096)
def wrap(text: str, letters: Type, width: float, most_lines: int = 2) -> tuple[str, ...]:
    """Return the lines of a text, broken between words, or within one that is too long for a line.

    What does not fit into the last line is cut off there.
    """
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < most_lines - 1:
        line = _beginning(rest, letters, width)
        lines.append(line)
        rest = rest[len(line) :].lstrip()
    return (*lines, shorten(rest, letters, width)) if rest else tuple(lines)


def _beginning(text: str, letters: Type, width: float) -> str:
    """Return as much of a text as fits, up to the end of a word where one ends there; never nothing."""
    if text_width(text, letters) <= width:
        return text
    fitting = _fitting(text, letters, width)
    whole_words = text[: fitting + 1].rpartition(" ")[0]
    return whole_words or text[: max(fitting, 1)]


def _fitting(text: str, letters: Type, width: float) -> int:
    """Return how many characters fit."""
    widths = accumulate(text_width(character, letters) for character in text)
    return sum(1 for _ in takewhile(lambda reached: reached <= width, widths))


# Control and format characters, halves of characters, private and unassigned ones, and separators of lines.
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: str) -> str:
    """Return a text of which XML takes every character, and none breaks the line or turns its direction around."""
    if text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(character) in _UNSHOWN else character for character in text)


@cache
def _widths(*, bold: bool) -> tuple[dict[str, int], int]:
    table = data("diagram/text_width.yaml")
    rows: dict[str, str] = table["bold" if bold else "regular"]
    return {character: int(width) for width, characters in rows.items() for character in characters}, table["other"]
