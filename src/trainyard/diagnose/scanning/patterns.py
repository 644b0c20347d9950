"""All patterns of the signatures at once, in RE2, whose time grows with the input and never faster.

Blocks are searched with one program of all patterns. Where its automaton does not fit into memory, RE2 goes on without
one: that is slower, and nothing is missed. Which patterns find a line is a set's to say, and sets give up silently when
they lack memory: each set has a pattern that finds everything, and a set that does not is asked pattern by pattern.

A log can have a million lines that differ in digits alone. The set has patterns that find any digits, so what it says
of a line holds for all that are like it and is remembered; only patterns that name digits are asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from trainyard.diagnose.cause import Cause, Signature, signatures
from trainyard.diagnose.scanning.any_digits import with_any_digits

# What RE2 may take for a program and its automata, of which it takes what it needs; the automaton that blocks need may
# have a third. 455 patterns go at a tenth of their speed in 16 MB, and at full speed in 64.
_MEMORY_BYTES = 192 * 2**20
_SET_MEMORY_BYTES = 32 * 2**20
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
# Kinds of lines that are remembered: so many that came lately, and as many before. Longer lines are rare.
_MOST_KINDS, _LONGEST_BYTES = 8192, 500
# Lines that are found stand together. Behind so many that are not, searching is quicker than asking for each.
_PATIENCE_LINES = 8


class FoundLine(NamedTuple):
    """A line of a block that patterns find."""

    number: int
    """In its block, from 0."""
    start: int
    end: int
    at: int
    """Where in a long line the first pattern finds something."""
    ids: tuple[str, ...]


class _Kind(NamedTuple):
    """Which patterns find lines that differ in digits alone, by their numbers."""

    always: tuple[int, ...]
    by_digits: tuple[int, ...]
    """Those that may find some of the lines."""


class Patterns:
    """Patterns, by the ids of their signatures."""

    def __init__(
        self,
        signature_table: Mapping[str, tuple[Signature, Cause]],
        memory_bytes: int = _MEMORY_BYTES,
        set_memory_bytes: int = _SET_MEMORY_BYTES,
        most_kinds: int = _MOST_KINDS,
    ) -> None:
        """Compile all of them. One that RE2 does not take is a bug in our own data, and raises what RE2 raises."""
        re2 = _re2()
        self._ids = tuple(signature_table)
        expressions = [signature.expression for signature, _ in signature_table.values()]
        self._single = [_multiline(expression) for expression in expressions]
        self._options = _options(re2, memory_bytes)
        self._any = re2.compile(b"|".join(self._single), self._options) if self._single else None
        wide = [_multiline(with_any_digits(expression)) for expression in expressions]
        self._naming_digits = {number for number, one in enumerate(self._single) if one != wide[number]}
        self._set = re2.Set.SearchSet(_options(re2, set_memory_bytes))
        for pattern in (*wide, b""):
            self._set.Add(pattern)
        self._set.Compile()
        self._most_kinds = most_kinds
        self._compiled: dict[int, Any] = {}
        self._kinds: dict[bytes, tuple[str, ...] | _Kind] = {}
        self._former_kinds: dict[bytes, tuple[str, ...] | _Kind] = {}

    def lines(self, block: bytes) -> Iterator[FoundLine]:
        """Yield the lines that patterns find."""
        place = number = 0
        while place <= len(block) and self._any and (match := self._any.search(block, place)):
            # The leftmost match begins here at the latest, so that no line before this one has any.
            start = block.rfind(b"\n", 0, match.start()) + 1
            number += block.count(b"\n", place, start)
            patience = _PATIENCE_LINES
            while patience and start <= len(block):
                end = block.find(b"\n", start)
                end = len(block) if end < 0 else end
                line = block[start:end]
                ids = self._remembered(line)
                if ids is None:
                    ids = self.of_line(line)
                    patience = 1
                if ids:
                    at = 0 if len(line) <= _LONGEST_BYTES else self._any.search(line).start()
                    yield FoundLine(number, start, end, at, ids)
                    patience = _PATIENCE_LINES
                else:
                    patience -= 1
                start, number = end + 1, number + 1
            place = start

    def of_line(self, line: bytes) -> tuple[str, ...]:
        """Return the ids of the signatures that find a line."""
        ids = self._remembered(line)
        if ids is not None:
            return ids
        kind = self._kind(line)
        ids = self._ids_of(kind, line)
        if len(line) <= _LONGEST_BYTES:
            self._remember(line.translate(_ZEROS), kind if kind.by_digits else ids)
        return ids

    def _remembered(self, line: bytes) -> tuple[str, ...] | None:
        if len(line) > _LONGEST_BYTES:
            return None
        key = line.translate(_ZEROS)
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._former_kinds.get(key)
            if kind is None:
                return None
            self._remember(key, kind)
        return self._ids_of(kind, line) if isinstance(kind, _Kind) else kind

    def _remember(self, key: bytes, kind: tuple[str, ...] | _Kind) -> None:
        if len(self._kinds) >= self._most_kinds:
            self._former_kinds, self._kinds = self._kinds, {}
        self._kinds[key] = kind

    def _kind(self, line: bytes) -> _Kind:
        everything = len(self._ids)
        matched = self._set.Match(line) or ()
        if everything not in matched:
            numbers = range(everything)
            matched = [n for n in numbers if n in self._naming_digits or self._pattern(n).search(line)]
        always = tuple(number for number in matched if number not in self._naming_digits and number != everything)
        return _Kind(always, tuple(self._naming_digits.intersection(matched)))

    def _ids_of(self, kind: _Kind, line: bytes) -> tuple[str, ...]:
        by_digits = (number for number in kind.by_digits if self._pattern(number).search(line))
        return tuple(self._ids[number] for number in sorted((*kind.always, *by_digits)))

    def _pattern(self, number: int) -> Any:
        if number not in self._compiled:
            self._compiled[number] = _re2().compile(self._single[number], self._options)
        return self._compiled[number]


def patterns_of(signature_table: Mapping[str, tuple[Signature, Cause]]) -> Patterns:
    """Return the patterns of signatures. Those of all signatures are compiled once, however many scans there are."""
    return _all_patterns() if signature_table is signatures() else Patterns(signature_table)


@cache
def _all_patterns() -> Patterns:
    return Patterns(signatures())


def compile_pattern(pattern: bytes) -> Any:
    """Return a pattern that is searched for in blocks."""
    return _re2().compile(_multiline(pattern.decode()), _options(_re2(), _MEMORY_BYTES))


def _multiline(expression: str) -> bytes:
    return b"(?m:" + expression.encode() + b")"


def _re2() -> Any:
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  only logs need it

    return re2


def _options(re2: Any, memory_bytes: int) -> Any:
    options = re2.Options()
    options.max_mem = memory_bytes
    # Bytes as they are: logs are not always UTF-8, and the automaton is smaller.
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_nl = True
    options.never_capture = True
    # RE2 would write to standard error; what lacks memory is noticed above.
    options.log_errors = False
    return options
