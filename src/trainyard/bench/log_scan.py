"""The lines of a log that can say something about a test, found in blocks of it and not line by line.

A log with NCCL_DEBUG=INFO of a thousand ranks has gigabytes, nearly all of which are connections. One pass of RE2,
whose time does not depend on how the input is made, finds the few lines that count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from trainyard.bench.program_text import ESCAPES, whole_messages

# Each leads to a line; what the line says is decided later.
_GAP = rb"(?:[ \t|,;]|\\t)+"
MARKS = b"|".join(
    (
        rb"nccl-tests version|nThread|Collective test|Rank +[0-9]+ +(?:Group|Pid)|busbw|Avg bus|Out of bounds|_perf",
        # the JSON of nccl-tests
        rb'"nccl_version"',
        rb"nccom-test|neuron-bench|errors found - test failed|Neuron DKMS",
        # two bandwidths of a row, or of the half of one; the beginning of a row
        _GAP.join((rb"[0-9]\.[0-9]+", rb"[0-9]+\.[0-9]+", rb"[0-9N]")),
        _GAP.join((rb"[0-9]", rb"[0-9]+", rb"(?:u?int|half|float|double|b?f|char)[0-9a-z]*", b"")),
        # spaces as pages and editors have them
        "\u00a0|&nbsp;|&#160;".encode(),
        # the columns of some table
        rb"(?:[Ss]ize|[Bb]ytes|[Pp]ayload|andwidth)[^\n]*(?:[MG]i?B/s|G[Bb]ps|Gb/s|\(us\)|usec)|algbw",
        rb"NCCL version|nccl-library|aws-ofi-nccl|ibfabric version|cudaDriverVersion|CUDA [Dd]river|EFA_INSTALLER",
        rb"elected [Pp]rovider|Using network|Init COMPLETE|by environment|Algo ",
        rb"NCCL WARN|Test [A-Z]+ failure|Test failure|: error:|not enough slots|optimal provider|No data available",
        rb"CANCELLED|Segmentation|Bus error|Killed|MPI_ABORT|mpirun noticed|exited on signal|TIME LIMIT|ut Of Memory",
        rb"No such file|command not found|trainyard: ",
    )
)
_CONNECTIONS = b"] via NET/"
_GDR = b"/GDRDMA"
_ESCAPES = re.compile(ESCAPES.pattern.encode())
_COLUMNS = re.compile(r"(?i)(?:size|bytes|payload|bandwidth).*(?:[MG]i?B/s|Gbps|Gb/s|busbw|\(us\)|usec)|algbw")
_ROW = re.compile(r"\d[ \t]+\d+[ \t]+(?:u?int|half|float|double|b?f)\w*[ \t]")
_BELOW_BYTES = 1024
# A line longer than this is cut: no program that we read writes one.
_LONGEST_LINE = 65536


class ScannedLog(NamedTuple):
    """A line that was found."""

    line: int
    """Counted from 1."""
    text: str
    connections: int
    """Network connections that stand between the line found before and this one."""
    gdr_connections: int
    below: str = ""
    """The lines right below it, where it has the columns of a table, or the beginning of a row."""


def scan(blocks: Iterable[bytes]) -> Iterator[ScannedLog]:
    """Yield the lines that count of a log that comes in blocks of any size."""
    line, connections, gdr_connections = 1, 0, 0
    for lines in whole_lines(blocks):
        block = whole_messages(_ESCAPES.sub(b"", lines) if b"\x1b" in lines else lines)
        done = 0
        for start, end in _spans(block):
            between = block[done:start]
            line += between.count(b"\n")
            connections += between.count(_CONNECTIONS)
            gdr_connections += between.count(_GDR)
            text = block[start:end].decode("utf-8", "replace").rstrip("\r\n")
            has_more = _COLUMNS.search(text) or _ROW.search(text)
            below = block[end : end + _BELOW_BYTES].decode("utf-8", "replace") if has_more else ""
            yield ScannedLog(line, text, connections, gdr_connections, below)
            connections = gdr_connections = 0
            done = start
        rest = memoryview(block)[done:].tobytes() if done else block
        line += rest.count(b"\n")
        connections += rest.count(_CONNECTIONS)
        gdr_connections += rest.count(_GDR)


def whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in blocks that end with a line, as far as lines end at all."""
    left = b""
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if end:
            yield left + block[:end]
            left = block[end:]
        else:
            left = (left + block)[-_LONGEST_LINE:]
    if left:
        yield left


def _spans(block: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the lines begin and end that hold a mark, each once."""
    end = -1
    for match in _marks().finditer(block):
        if match.start() < end:
            continue
        start = block.rfind(b"\n", 0, match.start()) + 1
        end = block.find(b"\n", match.end()) + 1 or len(block)
        yield start, min(end, start + _LONGEST_LINE)


@cache
def _marks() -> Any:
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  only logs need it

    return re2.compile(MARKS)
