"""A script as rules see it: its statements, and the environment variables that it gives to what it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from trainyard.document.node import Document

# A comment is passed over, but not what Slurm or a Dockerfile's builder reads.
_COMMENT = re.compile(r"\s*#(?!SBATCH\s)")
_PLACES = r"(?:^|[;&|(]\s*|\bexport\s+|\benv\s+|\bENV\s+|\s(?:-x|-e|--env)[\s=]+|--export=(?:\w+,)*)"
_ASSIGNMENT = re.compile(rf"{_PLACES}(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>\"[^\"]*\"|'[^']*'|[^\s;&|,)]*)")
_BEFORE_COMMAND = re.compile(r"\s+(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>\"[^\"]*\"|'[^']*'|[^\s;&|)]*)")


_LONGEST = 20_000
"""Characters of a statement that are read: no line can make the search slow."""


class Statement(NamedTuple):
    """A command with everything that it goes on to on further lines."""

    line: int
    """Position of its first line in the document."""
    text: str
    """Its lines, joined where a backslash leads from one to the next; each kept at its length. What is endless ends."""

    def line_at(self, index: int) -> int:
        """Return the position of the line on which a character stands."""
        return self.line + self.text.count("\n", 0, index)


class Assignment(NamedTuple):
    """A variable with the value that it gets."""

    line: int
    name: str
    value: str


def statements(document: Document) -> tuple[Statement, ...]:
    """Return the statements of a script, without comments and empty lines."""
    return _statements(_lines(document))


def assignments(document: Document) -> tuple[Assignment, ...]:
    """Return the variables that a script sets: by export, env, ENV, -x, -e, --export, or before a command."""
    return _assignments(_lines(document))


def _lines(document: Document) -> tuple[str, ...]:
    return tuple(map(str, document.value)) if isinstance(document.value, tuple) else ()


# Every rule asks for them, one script after another.
@lru_cache(maxsize=1)
def _statements(lines: tuple[str, ...]) -> tuple[Statement, ...]:
    return tuple(_each_statement(lines))


@lru_cache(maxsize=1)
def _assignments(lines: tuple[str, ...]) -> tuple[Assignment, ...]:
    return tuple(assignment for statement in _statements(lines) for assignment in _of_statement(statement))


def _each_statement(lines: tuple[str, ...]) -> Iterator[Statement]:
    first, parts = 0, list[str]()
    for position, line in enumerate(lines):
        if not parts:
            first = position
            if not line.strip() or _COMMENT.match(line):
                continue
        parts.append(line)
        if not line.endswith("\\") or _COMMENT.match(line):
            yield _statement(first, parts)
            parts = []
    if parts:
        yield _statement(first, parts)


def _statement(first: int, parts: list[str]) -> Statement:
    return Statement(first, "\n".join(parts)[:_LONGEST])


def _of_statement(statement: Statement) -> Iterator[Assignment]:
    end = 0
    while match := _ASSIGNMENT.search(statement.text, end):
        following: re.Match[str] | None = match
        while following:
            yield _assignment(statement, following)
            end = following.end()
            following = _BEFORE_COMMAND.match(statement.text, end)


def _assignment(statement: Statement, match: re.Match[str]) -> Assignment:
    return Assignment(statement.line_at(match.start("name")), match["name"], match["value"].strip("\"'"))
