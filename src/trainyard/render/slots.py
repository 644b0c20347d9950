"""Fills the slots of a native file: lines, and the blocks below them, whose comment names what belongs there.

`Key: value  # slot: NAME` and `- item  # slot: NAME` get another value, `Key:  # slot: NAME` another block, and a line
that is nothing but the comment gets the keys of a mapping. Below `Key: |  # slot: NAME` comes a text as it is.
Everything else of the file stays, comments and all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from trainyard.document.write import compact_yaml, indented


class Slot(Enum):
    """What a slot may get besides a value."""

    KEEP = "keep"
    """What stands in the file."""
    REMOVE = "remove"
    """Nothing: the key goes, with its block and the comment above it."""


_MARKED = re.compile(r"^(?P<start>(?P<indent> *)(?:- )?(?P<key>[A-Za-z0-9:_]+:)?)(?P<rest>.*?) *# slot: (?P<name>\S+)$")
_COMMENT = re.compile(r"^ *#")


def fill_slots(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with all of its slots filled. Raises KeyError for one that has no value."""
    return "\n".join(_filled(text.splitlines(), values)) + "\n"


def without_comments(text: str) -> str:
    """Return a text that has not been filled without its comments, but for marks."""
    lines = text.splitlines()
    return "\n".join(line for line in lines if not _COMMENT.match(line) or "# slot:" in line or "#: " in line) + "\n"


def _filled(lines: list[str], values: Mapping[str, Any]) -> Iterator[str]:
    lines_kept: list[str] = []
    at = 0
    while at < len(lines):
        match = _MARKED.match(lines[at])
        if match is None:
            lines_kept.append(lines[at])
            at += 1
            continue
        end = _end_of_block(lines, at, len(match["indent"]))
        value = values[match["name"]]
        if value is Slot.REMOVE:
            _drop_comment(lines_kept, match["indent"])
        else:
            lines_kept.extend(_replaced(match, value, lines[at + 1 : end], values))
        at = end
    yield from lines_kept


def _replaced(match: re.Match[str], value: Any, block: list[str], values: Mapping[str, Any]) -> Iterator[str]:
    indent, start, rest = match["indent"], match["start"], match["rest"].strip()
    if rest == "|":
        yield f"{start} |"
        yield from indented(value.rstrip("\n"), f"{indent}  ").splitlines()
    elif value is Slot.KEEP:
        yield f"{start}{match['rest']}".rstrip()
        yield from _filled(block, values)
    elif not match["key"] and not rest:
        yield from indented(compact_yaml(value), indent).splitlines() if value else ()
    elif isinstance(value, dict | list) and not rest:
        yield start
        yield from indented(compact_yaml(value), f"{indent}  ").splitlines()
    else:
        yield f"{start}{' ' * (match['key'] is not None)}{compact_yaml([value])[2:].strip()}"


def _end_of_block(lines: list[str], at: int, indent: int) -> int:
    """Return where what belongs to a line ends: all that is indented more."""
    end = at + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    return end


def _drop_comment(lines_kept: list[str], indent: str) -> None:
    while lines_kept and lines_kept[-1].startswith(f"{indent}# "):
        lines_kept.pop()
