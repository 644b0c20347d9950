"""Lines that end failures, looked for only in logs that had one, and behind it: they are common in healthy logs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from trainyard.diagnose.cause import Cause, Signature
from trainyard.diagnose.line_node import may_be_same, node_of
from trainyard.diagnose.scanning.log_clock import decode_line
from trainyard.diagnose.scanning.patterns import MatchedLine, compile_pattern
from trainyard.diagnose.scanning.pieces import Piece, without_escapes
from trainyard.diagnose.success import Success, successes

_HEAD_BYTES = 2000


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
    """Finds in one log, for each success and node, the first line of it behind the last failure that it can end."""

    def __init__(self, patterns: Iterable[SuccessPattern], log_name: str) -> None:
        """Take those that mean something in logs of its kind."""
        self._name, self._patterns = log_name, patterns
        self._open: dict[str, dict[str | None, int]] = defaultdict(dict)
        """Of successes, the nodes with a failure that they have not ended, and where in this piece the last of them
        ends."""

    def behind(
        self, line_ends: Mapping[tuple[str, str | None], tuple[int, int]], piece: Piece, datas: Iterable[bytes]
    ) -> Iterator[tuple[str, str | None, MatchedLine]]:
        """Yield successes in a piece, each with its node.

        line_ends: where in it the first and the last line of each signature and node end; datas: its bytes, and where
        lines were broken also those as they may have been.
        """
        if not line_ends and not any(self._open.values()):
            return
        for success, pattern, ends in self._patterns:
            open_nodes = self._open[success.id]
            firsts = [0] if open_nodes else []
            for (name, node), (first, last) in line_ends.items():
                if name in ends:
                    # What speaks of one of many objects does not wait for the last failure of all.
                    open_nodes[node] = max(open_nodes.get(node, 0), first if success.same else last)
                    firsts.append(first)
            if firsts:
                found = {
                    start: (node, end, data)
                    for data in datas
                    for node, start, end in self._of_pattern(success, pattern, open_nodes, data, min(firsts))
                }
                for start, (node, end, data) in sorted(found.items(), key=lambda one: one[0]):
                    number = piece.data.count(b"\n", 0, start)
                    yield success.id, node, MatchedLine(number, start, end, 0, (success.id,), data[start:end].rstrip())
            open_nodes.update(dict.fromkeys(open_nodes, 0))

    def _of_pattern(
        self, success: Success, pattern: Any, open_nodes: dict[str | None, int], data: bytes, place: int
    ) -> Iterator[tuple[str | None, int, int]]:
        while open_nodes and (match := pattern.search(data, place)):
            start = data.rfind(b"\n", 0, match.start()) + 1
            end = data.find(b"\n", match.end())
            end = len(data) if end < 0 else end
            node = node_of(self._name, decode_line(without_escapes(data[start:end][:_HEAD_BYTES])))
            ended = [one for one, last in open_nodes.items() if last <= start and may_be_same(one, node)]
            if ended:
                yield node, start, end
            if not success.same:
                for one in ended:
                    del open_nodes[one]
            place = end
