"""A script as rules see it: its statements, and the environment variables that it gives to what it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trainyard.document.node import Document

# A comment is passed over, but not what Slurm or a Dockerfile's builder reads.
_COMMENT = re.compile(r"\s*#(?!SBATCH\s)")
_PLACES = r"(?:^|[;&|(]\s*|\bexport\s+|\benv\s+|\bENV\s+|\s(?:-x|-e|--env)[\s=]+|--export=(?:\w+,)*)"
_ASSIGNMENT = re.compile(rf"{_PLACES}(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>\"[^\"]*\"|'[^']*'|[^\s;&|,)]*)")
_BEFORE_COMMAND = re.compile(r"\s+(?P<name>[A-Z][A-Z0-9_]*)=(?P<value>\"[^\"]*\"|'[^']*'|[^\s;&|)]*)")


class Statement(NamedTuple):
    """A command with everything that it goes on to on further lines."""

    line: int
    """Position of its first line in the document."""
    text: str
    """Its lines, joined where a backslash leads from one to the next; each kept at its length."""

    def line_at(self, index: int) -> int:
        """Return the position of the line on which a character stands."""
        return self.line + self.text.count("\n", 0, index)


class Assignment(NamedTuple):
    """A variable with the value that it gets."""

    line: int
    name: str
    value: str


def statements(document: Document) -> Iterator[Statement]:
    """Yield the statements of a script, without comments."""
    lines: tuple[object, ...] = document.value if isinstance(document.value, tuple) else ()
    first, parts = 0, list[str]()
    for position, line in enumerate(map(str, lines)):
        if not parts:
            first = position
        if _COMMENT.match(line) and not parts:
            continue
        parts.append(line)
        if not line.endswith("\\") or _COMMENT.match(line):
            yield Statement(first, "\n".join(parts))
            parts = []
    if parts:
        yield Statement(first, "\n".join(parts))


def assignments(document: Document) -> Iterator[Assignment]:
    """Yield the variables that a script sets: by export, env, ENV, -x, -e, --export, or before a command."""
    for statement in statements(document):
        for match in _ASSIGNMENT.finditer(statement.text):
            yield _assignment(statement, match)
            end = match.end()
            while following := _BEFORE_COMMAND.match(statement.text, end):
                yield _assignment(statement, following)
                end = following.end()


def _assignment(statement: Statement, match: re.Match[str]) -> Assignment:
    return Assignment(statement.line_at(match.start("name")), match["name"], match["value"].strip("\"'"))
