"""All patterns of the signatures at once, in RE2, whose time grows with the input and never faster.

Blocks are searched with one program of all patterns. Where its automaton does not fit into memory, RE2 goes on without
one: that is slower, and nothing is missed. Which patterns find a line is a set's to say, and sets give up silently when
they lack memory: each set has a pattern that finds everything, and a set that does not is asked pattern by pattern.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from trainyard.diagnose.cause import Cause, Signature, signatures

# What RE2 may take for a program and its automata, of which it takes what it needs; the automaton that blocks need may
# have a third. 455 patterns go at a tenth of their speed in 16 MB, and at full speed in 64.
_MEMORY_BYTES = 192 * 2**20
_SET_MEMORY_BYTES = 32 * 2**20


class Patterns:
    """Patterns, by the ids of their signatures."""

    def __init__(
        self,
        signature_table: Mapping[str, tuple[Signature, Cause]],
        memory_bytes: int = _MEMORY_BYTES,
        set_memory_bytes: int = _SET_MEMORY_BYTES,
    ) -> None:
        """Compile all of them. One that RE2 does not take is a bug in our own data, and raises what RE2 raises."""
        re2 = _re2()
        self._ids = tuple(signature_table)
        self._single = [b"(?m:" + signature.expression.encode() + b")" for signature, _ in signature_table.values()]
        self._options = _options(re2, memory_bytes)
        self._any = re2.compile(b"|".join(self._single), self._options) if self._single else None
        self._set = re2.Set.SearchSet(_options(re2, set_memory_bytes))
        for pattern in (*self._single, b""):
            self._set.Add(pattern)
        self._set.Compile()

    def lines(self, block: bytes) -> Iterator[tuple[int, int, int]]:
        """Yield where lines begin and end that a pattern may find, and where in them it begins to."""
        place = 0
        while place <= len(block) and self._any and (match := self._any.search(block, place)):
            # The leftmost match begins here at the latest, so that no line before this one has any.
            start = block.rfind(b"\n", 0, match.start()) + 1
            end = block.find(b"\n", match.start())
            end = len(block) if end < 0 else end
            yield start, end, match.start() - start
            place = end + 1

    def of_line(self, line: bytes) -> tuple[str, ...]:
        """Return the ids of the signatures that find a line."""
        matched = self._set.Match(line) or ()
        everything = len(self._ids)
        if everything in matched:
            return tuple(self._ids[number] for number in sorted(matched) if number != everything)
        single = zip(self._ids, self._single, strict=True)
        return tuple(
            name for name, single_pattern in single if _re2().compile(single_pattern, self._options).search(line)
        )


def patterns_of(signature_table: Mapping[str, tuple[Signature, Cause]]) -> Patterns:
    """Return the patterns of signatures. Those of all signatures are compiled once, however many scans there are."""
    return _all_patterns() if signature_table is signatures() else Patterns(signature_table)


@cache
def _all_patterns() -> Patterns:
    return Patterns(signatures())


def compile_pattern(pattern: bytes) -> Any:
    """Return a pattern that is searched for in blocks."""
    re2 = _re2()
    return re2.compile(b"(?m:" + pattern + b")", _options(re2, _MEMORY_BYTES))


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
