"""The nodes of many lines of one log, quickly: all lines of a thread of NCCL begin with the same words."""

from __future__ import annotations

from trainyard.diagnose.line_node import BEFORE_SRUN_HOST, node_of, node_of_nccl
from trainyard.diagnose.scanning.log_clock import decode_line
from trainyard.diagnose.scanning.pieces import without_escapes

# Evidence is not longer, either.
_LINE_BYTES = 2000
_NCCL_END, _NCCL_BYTES = b"] ", 200
_MOST_BEGINNINGS = 4096
_BEFORE_SRUN_HOST = BEFORE_SRUN_HOST.encode()


class LineNodes:
    """Knows the nodes of the lines of one log."""

    def __init__(self, name: str) -> None:
        """Take the name of the log."""
        self._name = name
        self._by_beginning: dict[bytes, str | None] = {}

    def of_line(self, line: bytes) -> str | None:
        """Return the node of a line; None where neither it nor the name of its log tells."""
        beginning = line[: line.find(_NCCL_END, 0, _NCCL_BYTES) + len(_NCCL_END)]
        node = self._by_beginning.get(beginning)
        if node is None and beginning not in self._by_beginning:
            if len(self._by_beginning) >= _MOST_BEGINNINGS:
                self._by_beginning.clear()
            node = self._by_beginning[beginning] = node_of_nccl(beginning.decode("latin-1"))
        if node is None or _BEFORE_SRUN_HOST in line:
            return node_of(self._name, decode_line(without_escapes(line[:_LINE_BYTES])))
        return node
