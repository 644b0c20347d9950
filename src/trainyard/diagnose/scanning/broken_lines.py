"""Lines that something has broken: a terminal at its width, a mail program between words, kubectl with an indent.

A log counts as broken by how it begins: no line is longer than a terminal, and lines that are full are followed by what
begins like no line of a log. Only there are full lines put together with those below them, and only beside what they
say as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_HEAD_BYTES = 2**14
# The narrowest that programs break at, whose longest line may be shorter, and the widest of terminals.
_NARROWEST, _WIDEST = 72, 250
# A log of so many lines is broken as a whole, or not at all: of lines of about one length, some are full by chance.
_FEW_LINES, _LEAST_SHARE = 200, 0.05
_MOST_LINES, _FEW_PARTS = 24, 3
_QUOTE = rb"[>|] ?(?:> ?)*"
_QUOTED = re.compile(_QUOTE)
# How lines of logs begin: a time, a level, a tag in brackets, JSON, the fields of logfmt, `program[7]: `, `3: `,
# `host:7:7 [0] ` of NCCL.
_BEGINNING = (
    rb"\[|\{|(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} +\d+ \d|\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[IWEFD]\d{4} |(?:time|ts|level)="
    rb"|(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|Traceback)\b|(?:[Ee]rror|[EWN]|panic|\d+): "
    rb"|[\w.-]+(?:\[\d+\]: |:\d+:\d+ \[)|[#*+=|-]{2,}"
)
_BEGINS = re.compile(_BEGINNING)
# A line below another one that begins in none of these ways: what is broken has some.
_REST = re.compile(rb"\n(?>(?:" + _QUOTE + rb")?[^\S\n]*)(?!" + _BEGINNING + rb")\S")


class JoinedLine(NamedTuple):
    """A line as it may have been before it was broken."""

    first: int
    """Its first line, counted from 0."""
    lines: int
    texts: tuple[bytes, ...]
    """With spaces where it was broken, and without them where a word may have been; the likelier first."""


def width_of(data: bytes) -> int | None:
    """Return at how many characters lines are broken, by the beginning of a log; None where they are not."""
    end = data.rfind(b"\n", 0, _HEAD_BYTES) if len(data) > _HEAD_BYTES else len(data)
    if not _REST.search(data, 0, end):
        return None
    lines = [_without_quote(line) for line in data[:end].split(b"\n")]
    # A line without spaces is longer than any width that is broken between words.
    width = max((len(line) for line in lines if b" " in line.strip()), default=0)
    if width > _WIDEST:
        return None
    width = max(width, _NARROWEST)
    broken = sum(_goes_on(line, below, width, _indent(line)) for line, below in pairwise(lines))
    return width if broken and (len(lines) <= _FEW_LINES or broken >= _LEAST_SHARE * len(lines)) else None


def joined_lines(data: bytes, width: int) -> Iterator[JoinedLine]:
    """Yield what lines of a log may have been that are broken at a width."""
    lines = [_without_quote(line) for line in data.split(b"\n")]
    first = 0
    for last, line in enumerate(lines):
        is_last = last + 1 == len(lines) or last - first + 1 == _MOST_LINES
        if is_last or not _goes_on(line, lines[last + 1], width, _indent(lines[first])):
            if last > first:
                yield JoinedLine(first, last - first + 1, _texts(lines[first : last + 1], width))
            first = last + 1


def unbroken(data: bytes, width: int) -> tuple[bytes, ...]:
    """Return lines as they may have been, each with its first and last byte at its place: what is gone is spaces."""
    lines = data.split(b"\n")
    forms: tuple[list[bytes | None], ...] = ([*lines], [*lines])
    for joined in joined_lines(data, width):
        behind = joined.first + joined.lines
        length = len(b"\n".join(lines[joined.first : behind]))
        for form, text in zip(forms, (joined.texts[0], joined.texts[-1]), strict=True):
            form[joined.first : behind] = [text.ljust(length), *[None] * (joined.lines - 1)]
    return tuple(dict.fromkeys(b"\n".join(line for line in form if line is not None) for form in forms))


def _goes_on(line: bytes, below: bytes, width: int, indent: int) -> bool:
    """Return whether the line below may be the rest of a line, which the next word would have made too long.

    indent: that of the first part of the line; the others have none, or more.
    """
    # Hardly any line has such a length, and nothing else is as quickly asked.
    if len(line) > width or len(line) * 2 < width:
        return False
    rest = below.lstrip()
    if not rest or len(line) + 1 + len(rest.split(b" ", 1)[0]) <= width or _begins(rest, line):
        return False
    return not 0 < _indent(below) <= indent or len(line) == width


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _begins(line: bytes, above: bytes) -> bool:
    """Return whether a line is one of its own: it begins like one of a log, or as the one above it but for numbers."""
    return _BEGINS.match(line) is not None or _first_word(line) == _first_word(above.lstrip())


def _first_word(line: bytes) -> bytes:
    return line.split(b" ", 1)[0].translate(None, b"0123456789")


def _texts(lines: list[bytes], width: int) -> tuple[bytes, ...]:
    spaced = b" ".join(line.strip() if number else line.rstrip() for number, line in enumerate(lines))
    glued = lines[0]
    for above, line in pairwise(lines):
        is_cut = len(above) == width or above.endswith((b"-", b"/"))
        glued += line if is_cut else b" " + line.strip()
    # Terminals break every line at their width, most of which are round.
    is_of_terminal = all(len(line) == width for line in lines[:-1]) and (len(lines) > _FEW_PARTS or width % 10 == 0)
    return tuple(dict.fromkeys([glued, spaced] if is_of_terminal else [spaced, glued]))


def _without_quote(line: bytes) -> bytes:
    match = _QUOTED.match(line)
    return line[match.end() :] if match else line
