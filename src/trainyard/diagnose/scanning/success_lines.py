"""Lines that end failures, looked for only in logs that had one, and behind it: they are common in healthy logs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.diagnose.cause import Cause, Signature
from trainyard.diagnose.log_kind import applies
from trainyard.diagnose.scanning.matched_line import MatchedLine
from trainyard.diagnose.scanning.patterns import compile_pattern
from trainyard.diagnose.scanning.pieces import Piece
from trainyard.diagnose.success import Success, successes


class SuccessPattern(NamedTuple):
    """A success, ready to be looked for."""

    success: Success
    pattern: Any
    ends: frozenset[str]
    """The signatures whose failures it can end."""


def success_patterns(signature_table: Mapping[str, tuple[Signature, Cause]]) -> tuple[SuccessPattern, ...]:
    """Return all successes with what they can end of these signatures."""
    return tuple(
        SuccessPattern(
            success,
            compile_pattern(success.pattern.encode()),
            frozenset(name for name, (_, cause) in signature_table.items() if success.concerns(cause)),
        )
        for success in successes().values()
    )


class SuccessLines:
    """Finds in one log, for each success, the first line of it behind the last failure that it can end."""

    def __init__(self, patterns: tuple[SuccessPattern, ...], log_kind: str | None) -> None:
        """Take those that mean something in logs of this kind."""
        self._patterns = [pattern for pattern in patterns if applies(pattern.success.logs, log_kind)]
        self._open: set[str] = set()
        """Successes with a failure before them that they have not ended."""

    def behind(self, last_ends: Mapping[str, int], piece: Piece) -> Iterator[tuple[str, MatchedLine]]:
        """Yield successes in a piece. last_ends: where in it the last line of each signature ends that was found."""
        for success, pattern, ends in self._patterns:
            failures = [end for name, end in last_ends.items() if name in ends]
            if not failures and success.id not in self._open:
                continue
            self._open.add(success.id)
            if match := pattern.search(piece.data, max(failures, default=0)):
                self._open.remove(success.id)
                start = piece.data.rfind(b"\n", 0, match.start()) + 1
                end = piece.data.find(b"\n", match.end())
                number = piece.line + piece.data.count(b"\n", 0, start)
                end = len(piece.data) if end < 0 else end
                yield success.id, MatchedLine(number, start, end, match.start() - start, (success.id,))
