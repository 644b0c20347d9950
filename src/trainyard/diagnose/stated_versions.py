"""Versions that logs state of what runs on nodes, and which of those in one log must not meet.

They explain nothing by themselves: what goes wrong is told by other lines, and these are shown beside it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from trainyard.diagnose.scanning.log_clock import decode_line
from trainyard.diagnose.scanning.matched_line import unescaped
from trainyard.diagnose.scanning.patterns import compile_pattern
from trainyard.diagnose.scanning.pieces import Piece
from trainyard.errors import InputError

if TYPE_CHECKING:
    from trainyard.compatibility.judgement import Incompatibility

STATES_VERSION = "states a version"
"""What finds the lines that state one, among the patterns of signatures."""
_FILE = Path(__file__).with_suffix(".yaml")
# Programs state versions when they begin.
_HEAD_BYTES = 2**17
_MOST_LINES, _MOST_VERSIONS = 100, 100


class StatedVersion(NamedTuple):
    """A version, and the first line that states it."""

    component: str
    version: str
    file: str
    line: int


class VersionsInConflict(NamedTuple):
    """Versions of one log that must not meet."""

    file: str
    incompatibility: Incompatibility


class StatedVersions:
    """Takes the beginnings of logs."""

    def __init__(self) -> None:
        """Begin with none."""
        self._stated: dict[tuple[str, str], StatedVersion] = {}
        self._sets: dict[frozenset[tuple[str, str]], str] = {}
        """What logs state together, each with the first such log."""

    def take(self, file: str, piece: Piece) -> None:
        """Read the first piece of a log in which something states a version."""
        head = piece.data[:_HEAD_BYTES]
        data, place = unescaped(head) or head, 0
        together: dict[str, set[str]] = {}
        for _ in range(_MOST_LINES):
            match = _any_pattern().search(data, place)
            if match is None:
                break
            start, place = data.rfind(b"\n", 0, match.start()) + 1, match.end()
            text = decode_line(data[start : match.end() + 1])
            for component, pattern in _patterns():
                if found := pattern.search(text):
                    together.setdefault(component, set()).add(found[1])
                    line = piece.line + data.count(b"\n", 0, start)
                    self._add(StatedVersion(component, found[1], file, line))
        # Where ranks of one log state several, nobody knows which of them meet.
        alone = frozenset((component, next(iter(own))) for component, own in together.items() if len(own) == 1)
        if len(alone) > 1:
            self._add_set(alone, file)

    def add(self, other: StatedVersions) -> None:
        """Add what other readings have found."""
        for stated in other.versions():
            self._add(stated)
        for together, file in other._sets.items():
            self._add_set(together, file)

    def versions(self) -> tuple[StatedVersion, ...]:
        """Return the versions, by component, in the order of reading."""
        order = {component: place for place, (component, _) in enumerate(_patterns())}
        return tuple(sorted(self._stated.values(), key=lambda stated: order[stated.component]))

    def conflicts(self) -> tuple[VersionsInConflict, ...]:
        """Return what must not meet by the catalog, each case once; only where the versions leave no doubt."""
        if not self._sets:
            return ()
        # Few logs state two versions.
        from trainyard.compatibility.judgement import incompatibilities  # noqa: PLC0415
        from trainyard.compatibility.version_set import component_named, given  # noqa: PLC0415

        cases: dict[str, VersionsInConflict] = {}
        for together, file in self._sets.items():
            named = ((component_named(component), version) for component, version in sorted(together))
            try:
                versions = {component: given(component, version, file) for component, version in named}
            except InputError:  # a log may say anything
                continue
            for incompatibility in incompatibilities(versions):
                if incompatibility.certain and len(incompatibility.conflict.components) > 1:
                    cases.setdefault(incompatibility.case, VersionsInConflict(file, incompatibility))
        return tuple(cases.values())

    def _add(self, stated: StatedVersion) -> None:
        if len(self._stated) < _MOST_VERSIONS:
            self._stated.setdefault((stated.component, stated.version), stated)

    def _add_set(self, together: frozenset[tuple[str, str]], file: str) -> None:
        if len(self._sets) < _MOST_VERSIONS:
            self._sets.setdefault(together, file)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    content = yaml.load(_FILE.read_bytes(), Loader=yaml.CSafeLoader)
    return tuple((entry["component"], re.compile(entry["pattern"])) for entry in content)


def any_version() -> str:
    """Return a pattern of RE2 that finds the lines that state a version."""
    return "|".join(pattern.pattern for _, pattern in _patterns())


@cache
def _any_pattern() -> Any:
    return compile_pattern(any_version().encode())
