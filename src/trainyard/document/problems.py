"""Collects what is wrong with a text that is being read: each problem with its place, and not without end."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from yaml.reader import Reader

from trainyard.document.node import Place
from trainyard.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Collection

    import yaml

# A ParallelCluster file of 50 queues, its limit, has about 3,000 values in 60 kB.
MOST_CHARACTERS = 1_048_576
MOST_FINDINGS = 100
# How alike two keys are of which one is the other, mistyped: a letter less in six.
_NEAR = 0.85
NOT_A_SPEC = "name the spec itself, not a log, an archive or a data file"

# What may not stand in YAML, halves of surrogate pairs among it: https://yaml.org/spec/1.1/#c-printable
# PyYAML has compiled it already, which takes as long as a dozen rules.
_UNPRINTABLE = Reader.NON_PRINTABLE


class Stop(Exception):  # noqa: N818  no error of its own: ends the reading, the findings say why
    """Nothing after this can be read."""


class Problems:
    """The findings about one text, in the order in which they were noticed."""

    def __init__(self, text: str, file: str) -> None:
        """Take the text, for places in it, and the name of its file."""
        self.findings: list[Finding] = []
        self._text = text
        self._file = file
        self._lines = [0, *(end.end() for end in re.finditer("\r\n|\n|\r", text))]

    def add(self, id_: str, place: Place, message: str, remedy: str) -> None:
        """Add a finding. Raises Stop when there are more than anybody reads."""
        finding = Finding(id_, "error", message, remedy, file=self._file, line=place.line, column=place.column)
        self.findings.append(finding)
        if len(self.findings) >= MOST_FINDINGS:
            raise Stop

    def place_at(self, index: int) -> Place:
        """Return a place as editors count it: YAML ends lines at U+0085, U+2028 and U+2029 too."""
        line = bisect_right(self._lines, index)
        return Place(line, index - self._lines[line - 1] + 1)

    def refuse_unprintable(self) -> None:
        """Stop at the first character that cannot stand in YAML."""
        if match := _UNPRINTABLE.search(self._text):
            message = f"character U+{ord(match[0]):04X} cannot stand in YAML"
            self.add(
                "yaml-unprintable", self.place_at(match.start()), message, "is this a text file? remove the character"
            )
            raise Stop

    def add_syntax(self, error: yaml.MarkedYAMLError) -> None:
        """Add what the YAML parser says about the text."""
        marks = [mark.index for mark in (error.problem_mark, error.context_mark) if mark is not None]
        # Where something is still open at the end of the text, its beginning says more.
        index = next((index for index in marks if index < len(self._text)), len(self._text))
        place = self.place_at(index)
        if self._text[index : index + 1] == "\t":
            self.add("yaml-tab", place, "a tab stands here; YAML is indented with spaces", "replace tabs by spaces")
            return
        message = f"not valid YAML: {error.problem}{f' {error.context}' if error.context else ''}"
        remedy = "look at this line and the one above: indentation, colons, quotes, brackets"
        self.add("yaml-syntax", place, message, remedy)


def too_large(file: str, size: int) -> Finding:
    """Return the finding for a file that is larger than any real configuration."""
    return Finding(
        id="file-too-large",
        severity="error",
        message=f"{size / 1e6:,.1f} MB is larger than any spec (at most {MOST_CHARACTERS / 1e6:.0f} MB)",
        remedy=NOT_A_SPEC,
        file=file,
    )


def without_password(text: str) -> str:
    """Return a text without what stands before an @: in a registry or a proxy it is a user's name and password."""
    return f"…{text[text.rindex('@') :]}" if "@" in text else text


def short(text: str) -> str:
    """Return a user's text in quotes, on one line, and not longer than a message can bear."""
    return repr(text if len(text) <= 60 else text[:57] + "…")


def meant_key(key: str, known: Collection[str]) -> str | None:
    """Return the one known key that a wrong one can only mean; None where none or several are near."""
    # Imported here because a right file needs none, and every check imports this module.
    from difflib import get_close_matches  # noqa: PLC0415

    plain = _letters(key)
    same = [name for name in known if _letters(name) == plain]
    near = same or get_close_matches(key, known, n=2, cutoff=_NEAR)
    return near[0] if len(near) == 1 else None


def _letters(key: str) -> str:
    return key.lower().replace("-", "").replace("_", "")
