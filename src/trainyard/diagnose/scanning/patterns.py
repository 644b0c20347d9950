"""All patterns of the signatures at once, in RE2, whose time grows with the input and never faster.

Blocks are searched with one program of parts of all patterns, which finds a few lines too many. Where its automaton
does not fit into memory, RE2 goes on without one: that is slower, and nothing is missed. Which patterns find a line is
a filter's to say: it looks for the words that patterns cannot do without, all at once, and asks only those patterns of
which a line has the words. A filter gives up silently where it lacks memory, so one that does not find a word of ours
is not used, and each pattern is asked.

A log can have a million lines that differ in digits alone. The filter has patterns that find any digits, so what it
says of a line holds for all that are like it and is remembered; only patterns that name digits are asked again.
Addresses are masked as well, so that each makes no kind of its own: what finds a line with one is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from trainyard.diagnose.cause import Cause, Signature
from trainyard.diagnose.scanning.block_pattern import block_pattern

# What RE2 may take for a program and its automata, of which it takes what it needs; the automaton that blocks need may
# have a third. 455 patterns go at a tenth of their speed in 16 MB, and at full speed in 64.
_MEMORY_BYTES = 192 * 2**20
# No line of a log has it.
_OWN_WORD = b"trainyard\x00filter"
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
# A long hexadecimal number among masked digits: an address, or from its first digit to its last one.
_LONG_NUMBER = re.compile(rb"0(?:x[0a-f]{6,}\b|[0a-f]{6,}0)")
_LETTERS_TO_ZEROS = bytes.maketrans(b"abcdef", b"000000")
# Kinds of lines that are remembered: so many that came lately, and as many before. Longer lines are rare.
_MOST_KINDS, _LONGEST_BYTES = 8192, 500
# Lines that are found stand together. Behind so many that are not, searching is quicker than asking for each.
_PATIENCE_LINES = 8
# So much behind a line that is found is split into lines at once; more, the more lines are found.
_LEAST_NEAR_BYTES, _MOST_NEAR_BYTES = 2**10, 2**17
_DIGITS = "0123456789"
_NAMES_DIGITS = re.compile(r"[0-9]")
_ASKS_FOR_DIGITS = re.compile(r"(?<!\{)(?<!,)[0-9]|\\d")
_HEXADECIMAL_LETTERS = re.compile(r"[a-f]+")
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


class _ByDigits(NamedTuple):
    """Which patterns find lines that differ in digits alone, or in the letters of a long hexadecimal number as well."""

    always: tuple[int, ...]
    """Those that find all of these lines, by their numbers."""
    sometimes: tuple[int, ...]
    """Those that may find some of the lines."""


# Of all lines of a kind, the ids of what finds them, or what has to be asked again.
_Kind = tuple[str, ...] | _ByDigits


class Patterns:
    """Patterns, by the ids of their signatures."""

    def __init__(
        self,
        signature_table: Mapping[str, tuple[Signature, Cause]],
        memory_bytes: int = _MEMORY_BYTES,
        most_kinds: int = _MOST_KINDS,
        new_filter: Callable[[], Any] | None = None,
        others: Mapping[str, str] | None = None,
    ) -> None:
        """Compile all of them. One that RE2 does not take is a bug in our own data, and raises what RE2 raises.

        others: patterns that are no signatures', by ids of their own.
        """
        re2 = _re2()
        by_id = {name: signature.expression for name, (signature, _) in signature_table.items()} | dict(others or {})
        self._ids, expressions = tuple(by_id), list(by_id.values())
        self._single = [_multiline(expression) for expression in expressions]
        self._options = _options(re2, memory_bytes)
        self._any = re2.compile(_multiline(block_pattern(expressions)), self._options) if expressions else None
        wide = [_multiline(with_any_digits(expression)) for expression in expressions]
        self._naming_digits = {number for number, one in enumerate(self._single) if one != wide[number]}
        self._asking_for_digits = {number for number, one in enumerate(expressions) if _ASKS_FOR_DIGITS.search(one)}
        self._filter = (new_filter or re2.Filter)()
        for pattern in (*wide, _OWN_WORD):
            self._filter.Add(pattern, self._options)
        self._filter.Compile()
        self._is_filter_sure = bool(self._filter.Match(_OWN_WORD))
        self._most_kinds = most_kinds
        self._compiled: dict[int, Any] = {}
        self._kinds_by_numbers: dict[tuple[tuple[int, ...], bool], _Kind] = {}
        self._kinds: dict[bytes, _Kind] = {}
        self._former_kinds: dict[bytes, _Kind] = {}

    def lines(self, block: bytes) -> list[MatchedLine]:
        """Return the lines that patterns find."""
        lines: list[MatchedLine] = []
        add, new = lines.append, tuple.__new__
        place = number = 0
        masked = b""
        kind_by_key = self._kinds.get
        while (start := self.first_start(block, place)) is not None:
            number += block.count(b"\n", place, start)
            masked = masked or block.translate(_ZEROS)
            patience, near = _PATIENCE_LINES, _LEAST_NEAR_BYTES
            while patience and start <= len(block):
                last = block.find(b"\n", start + near)
                for key in masked[start : last if last >= 0 else None].split(b"\n"):
                    end, at = start + len(key), 0
                    ids = kind_by_key(key)
                    is_new = ids is None
                    # This runs for every line of a log of warnings, and a call for each would take as long as the rest.
                    if type(ids) is not tuple:
                        line = block[start:end]
                        ids = self._ids_of(self._kind_of(key) if ids is None else ids, line)
                        if ids and len(line) > _LONGEST_BYTES:
                            at = self.first_place(ids, line)
                    if ids:
                        add(new(MatchedLine, (number, start, end, at, ids, None)))
                        patience = _PATIENCE_LINES
                    else:
                        patience = 0 if is_new else patience - 1
                    start, number = end + 1, number + 1
                    if not patience:
                        break
                near = min(2 * near, _MOST_NEAR_BYTES)
            place = start
        return lines

    def first_start(self, block: bytes, place: int) -> int | None:
        """Return where the first line begins, from a place on, that patterns may find; None where there is none."""
        match = self._any.search(block, place) if self._any and place <= len(block) else None
        # The leftmost match begins here at the latest, so that no line before this one has any.
        return block.rfind(b"\n", 0, match.start()) + 1 if match else None

    def of_line(self, line: bytes) -> tuple[str, ...]:
        """Return the ids of the signatures that find a line."""
        key = line.translate(_ZEROS)
        kind = self._kinds.get(key)
        return self._ids_of(self._kind_of(key) if kind is None else kind, line)

    def _kind_of(self, key: bytes) -> _Kind:
        """Return the kind of a line that is none of the latest, and remember it. key: the line without its digits."""
        plain = _LONG_NUMBER.sub(_without_letters, key)
        is_exact = plain == key
        # No line has a line break.
        name = key if is_exact else plain + b"\n"
        kind = self._kinds.get(name)
        if kind is None:
            kind = self._former_kinds.get(name)
        if kind is None:
            kind = self._new_kind(plain, is_exact=is_exact)
        if len(key) <= _LONGEST_BYTES:
            if len(self._kinds) >= self._most_kinds:
                self._former_kinds = self._kinds.copy()
                self._kinds.clear()
                self._kinds_by_numbers.clear()
            self._kinds[name] = kind
        return kind

    def _new_kind(self, key: bytes, *, is_exact: bool) -> _Kind:
        """Return what finds a line of a kind. is_exact: whether only digits are masked in it."""
        if self._is_filter_sure:
            matched = tuple(self._filter.Match(key) or ())
        else:
            numbers = range(len(self._ids))
            matched = tuple(n for n in numbers if n in self._naming_digits or self._pattern(n).search(key))
        if (matched, is_exact) not in self._kinds_by_numbers:
            if len(self._kinds_by_numbers) >= self._most_kinds:
                self._kinds_by_numbers.clear()
            self._kinds_by_numbers[matched, is_exact] = self._kind_by_numbers(matched, is_exact=is_exact)
        return self._kinds_by_numbers[matched, is_exact]

    def _kind_by_numbers(self, matched: tuple[int, ...], *, is_exact: bool) -> _Kind:
        matched = tuple(number for number in matched if number < len(self._ids))
        asked_again = self._naming_digits if is_exact else self._asking_for_digits
        always = tuple(number for number in matched if number not in asked_again)
        sometimes = tuple(number for number in matched if number in asked_again)
        return _ByDigits(always, sometimes) if sometimes else tuple(self._ids[number] for number in always)

    def _ids_of(self, kind: _Kind, line: bytes) -> tuple[str, ...]:
        if not isinstance(kind, _ByDigits):
            return kind
        again = (number for number in kind.sometimes if self._pattern(number).search(line))
        return tuple(self._ids[number] for number in sorted((*kind.always, *again)))

    def first_place(self, ids: Container[str], line: bytes) -> int:
        """Return where the first of these patterns finds something in a line; 0 where none does."""
        numbers = (number for number, name in enumerate(self._ids) if name in ids)
        matches = (self._pattern(number).search(line) for number in numbers)
        starts: Iterator[int] = (match.start() for match in matches if match)
        return min(starts, default=0)

    def _pattern(self, number: int) -> Any:
        if number not in self._compiled:
            self._compiled[number] = _re2().compile(self._single[number], self._options)
        return self._compiled[number]


@cache
def compile_pattern(pattern: bytes) -> Any:
    """Return a pattern that is searched for in blocks."""
    return _re2().compile(_multiline(pattern.decode()), _options(_re2(), _MEMORY_BYTES))


def with_any_digits(pattern: str) -> str:
    """Return a pattern of RE2 that also finds what has other digits where this one names some.

    Lines that differ in digits alone are either all found by it or none. Letters between digits, as a hexadecimal
    number has them, may be digits as well.
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
    if _HEXADECIMAL_LETTERS.fullmatch(part):
        return f"[0-9a-f]{{{len(part)}}}"
    if not part.startswith("["):
        return part
    members = [digit for digit in _DIGITS if re.fullmatch(part, digit)]
    return f"(?:{part}|[0-9])" if 0 < len(members) < len(_DIGITS) else part


def _without_letters(number: re.Match[bytes]) -> bytes:
    return number[0].translate(_LETTERS_TO_ZEROS)


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
