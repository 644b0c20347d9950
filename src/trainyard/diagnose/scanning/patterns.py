"""All patterns of the signatures at once, in RE2, whose time grows with the input and never faster.

Blocks are searched with one program of all patterns. Where its automaton does not fit into memory, RE2 goes on without
one: that is slower, and nothing is missed. Which patterns find a line is a filter's to say: it looks for the words that
patterns cannot do without, all at once, and asks only those patterns of which a line has the words. A filter gives up
silently where it lacks memory, so one that does not find a word of ours is not used, and each pattern is asked.

A log can have a million lines that differ in digits alone. The filter has patterns that find any digits, so what it
says of a line holds for all that are like it and is remembered; only patterns that name digits are asked again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from trainyard.diagnose.cause import Cause, Signature, signatures

# What RE2 may take for a program and its automata, of which it takes what it needs; the automaton that blocks need may
# have a third. 455 patterns go at a tenth of their speed in 16 MB, and at full speed in 64.
_MEMORY_BYTES = 192 * 2**20
# No line of a log has it.
_OWN_WORD = b"trainyard\x00filter"
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
# Kinds of lines that are remembered: so many that came lately, and as many before. Longer lines are rare.
_MOST_KINDS, _LONGEST_BYTES = 8192, 500
# Lines that are found stand together. Behind so many that are not, searching is quicker than asking for each.
_PATIENCE_LINES = 8
# So much behind a line that is found is split into lines at once; more, the more lines are found.
_LEAST_NEAR_BYTES, _MOST_NEAR_BYTES = 2**10, 2**17
_DIGITS = "0123456789"
_NAMES_DIGITS = re.compile(r"[0-9]")
# An escape, a class, a count, the name of a group, a digit, or text without any. What is left out finds everything: a
# character by its number, and a class that holds another one.
_PART = re.compile(
    r"[^\\\[({0-9]++|\\[^xpPQ0-9]|\[\^?\]?(?:[^\]\\[]|\\[^xpPQ0-9]|\[(?!:))*\]|\{\d+(?:,\d*)?\}|\(\?P<\w+>|[^\\\[]",
    re.DOTALL,
)


class MatchedLine(NamedTuple):
    """A line of a block, and what finds it."""

    number: int
    """In its block, from 0."""
    start: int
    """Where it begins in its block."""
    end: int
    at: int
    """Where in a long line, or near, the first pattern finds something."""
    ids: tuple[str, ...]
    unbroken: bytes | None = None
    """What it was before it was broken into several."""


class _Kind(NamedTuple):
    """Which patterns find lines that differ in digits alone."""

    ids: tuple[str, ...]
    """Of those that find all of these lines."""
    always: tuple[int, ...]
    """The same by their numbers."""
    by_digits: tuple[int, ...]
    """Those that may find some of the lines, by their numbers."""


class Patterns:
    """Patterns, by the ids of their signatures."""

    def __init__(
        self,
        signature_table: Mapping[str, tuple[Signature, Cause]],
        memory_bytes: int = _MEMORY_BYTES,
        most_kinds: int = _MOST_KINDS,
        new_filter: Callable[[], Any] | None = None,
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
        self._filter = (new_filter or re2.Filter)()
        for pattern in (*wide, _OWN_WORD):
            self._filter.Add(pattern, self._options)
        self._filter.Compile()
        self._is_filter_sure = bool(self._filter.Match(_OWN_WORD))
        self._most_kinds = most_kinds
        self._compiled: dict[int, Any] = {}
        self._kinds_by_numbers: dict[tuple[int, ...], _Kind] = {}
        self._kinds: dict[bytes, _Kind] = {}
        self._former_kinds: dict[bytes, _Kind] = {}

    def lines(self, block: bytes) -> Iterator[MatchedLine]:
        """Yield the lines that patterns find."""
        place = number = 0
        masked = b""
        while place <= len(block) and self._any and (match := self._any.search(block, place)):
            # The leftmost match begins here at the latest, so that no line before this one has any.
            start = block.rfind(b"\n", 0, match.start()) + 1
            number += block.count(b"\n", place, start)
            masked = masked or block.translate(_ZEROS)
            patience, near = _PATIENCE_LINES, _LEAST_NEAR_BYTES
            while patience and start <= len(block):
                last = block.find(b"\n", start + near)
                for key in masked[start : last if last >= 0 else None].split(b"\n"):
                    end = start + len(key)
                    kind = self._kinds.get(key)
                    is_new = kind is None
                    kind = kind or self._kind_of(key, block[start:end])
                    ids = self._ids_of(kind, block[start:end]) if kind.by_digits else kind.ids
                    if ids:
                        at = self._any.search(block[start:end]).start() if end - start > _LONGEST_BYTES else 0
                        yield MatchedLine(number, start, end, at, ids)
                        patience = _PATIENCE_LINES
                    else:
                        patience = 0 if is_new else patience - 1
                    start, number = end + 1, number + 1
                    if not patience:
                        break
                near = min(2 * near, _MOST_NEAR_BYTES)
            place = start

    def of_line(self, line: bytes) -> tuple[str, ...]:
        """Return the ids of the signatures that find a line."""
        key = line.translate(_ZEROS)
        kind = self._kinds.get(key) or self._kind_of(key, line)
        return self._ids_of(kind, line) if kind.by_digits else kind.ids

    def place_in(self, line: bytes) -> int:
        """Return where the first words begin that any signature looks for; 0 where there are none."""
        match = self._any.search(line) if self._any else None
        return int(match.start()) if match else 0

    def _kind_of(self, key: bytes, line: bytes) -> _Kind:
        """Return the kind of a line that is none of the latest, and remember it. key: the line without its digits."""
        kind = self._former_kinds.get(key) or self._new_kind(line)
        if len(key) <= _LONGEST_BYTES:
            if len(self._kinds) >= self._most_kinds:
                self._former_kinds, self._kinds = self._kinds, {}
                self._kinds_by_numbers.clear()
            self._kinds[key] = kind
        return kind

    def _new_kind(self, line: bytes) -> _Kind:
        if self._is_filter_sure:
            matched = tuple(self._filter.Match(line) or ())
        else:
            numbers = range(len(self._ids))
            matched = tuple(n for n in numbers if n in self._naming_digits or self._pattern(n).search(line))
        if matched not in self._kinds_by_numbers:
            if len(self._kinds_by_numbers) >= self._most_kinds:
                self._kinds_by_numbers.clear()
            self._kinds_by_numbers[matched] = self._kind_by_numbers(matched)
        return self._kinds_by_numbers[matched]

    def _kind_by_numbers(self, matched: tuple[int, ...]) -> _Kind:
        matched = tuple(number for number in matched if number < len(self._ids))
        always = tuple(number for number in matched if number not in self._naming_digits)
        by_digits = tuple(number for number in matched if number in self._naming_digits)
        return _Kind(tuple(self._ids[number] for number in always), always, by_digits)

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


def with_any_digits(pattern: str) -> str:
    """Return a pattern of RE2 that also finds what has other digits where this one names some.

    Lines that differ in digits alone are either all found by it or none.
    """
    if not _NAMES_DIGITS.search(pattern):
        return pattern
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        match = _PART.match(pattern, at)
        if match is None:
            return ""
        parts.append(_with_any_digits(match[0]))
        at = match.end()
    return "".join(parts)


def _with_any_digits(part: str) -> str:
    if part.isdigit():
        return "[0-9]"
    if not part.startswith("["):
        return part
    members = [digit for digit in _DIGITS if re.fullmatch(part, digit)]
    return f"(?:{part}|[0-9])" if 0 < len(members) < len(_DIGITS) else part


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
