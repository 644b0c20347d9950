"""The table of Neuron's nccom-test, whose columns follow its options: each row is read by the names above it.

https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/nccom-test.html
"""

from __future__ import annotations

import re

from trainyard.bench.result import Measurement, Row, Run
from trainyard.bench.table_row import DTYPE_BYTES

_COMMAND = re.compile(
    r"nccom-test\b.*\b(allr|allg|redsct|sendrecv|alltoallv?|permute|all_reduce|all_gather|reduce_scatter)\b"
)
_NAMES = {"allr": "all_reduce", "allg": "all_gather", "redsct": "reduce_scatter"}
_WORKERS = re.compile(r"\s(?:-r|--nworkers)[ =](\d+)")
_NODES = re.compile(r"\s(?:-N|--nnodes)[ =](\d+)")
# The unit of its bandwidths is GiB/s, whatever it writes, and time(us) of old versions has no digits after the point.
_GIB_S = 2**30 / 1e9
_MEANS: tuple[str, ...] = ("time:avg(us)", "time(us)")
_MEDIAN = "time:p50(us)"
_MOST_OFF = 0.05
_OFF_BY_PERCENTILE = 0.5


def columns_of(text: str) -> list[str]:
    """Return the names of the columns in a line, none where it has no such names."""
    words = text.split()
    if "size(B)" not in words or "busbw(GB/s)" not in words or "type" not in words:
        return []
    names = words[words.index("size(B)") :]
    return [name.rstrip("\"',") for name in names if "(" in name or name.startswith(("type", "algorithm"))]


def row_by_columns(columns: list[str], text: str, line: int) -> Row | None:
    """Return the row that stands below these columns, or None where it is cut or contradicts itself."""
    words = text.split()
    at = next((index for index, word in enumerate(words) if word in DTYPE_BYTES), -1) - columns.index("type")
    cells = dict(zip(columns, words[max(at, 0) :], strict=False))
    if at < 0 or len(cells) < len(columns):
        return None
    return row_of_cells(cells, line)


def row_of_cells(cells: dict[str, str], line: int) -> Row | None:
    """Return the row of values by the names of their columns, as its JSON has them too."""
    names = [*_MEANS, _MEDIAN, *(name for name in cells if name.startswith("time"))]
    time_name = next((name for name in names if name in cells), "")
    try:
        size_bytes, elements = int(cells["size(B)"]), int(cells["count(elems)"])
        time_us, algbw, busbw = (float(cells[name]) for name in (time_name, "algbw(GB/s)", "busbw(GB/s)"))
    except (KeyError, ValueError):
        return None
    if not 0 < time_us < float("inf") or cells.get("type") not in DTYPE_BYTES:
        return None
    followed = size_bytes / time_us / 1e3 / _GIB_S
    off = _MOST_OFF if time_name in _MEANS else _OFF_BY_PERCENTILE
    if abs(followed - algbw) > 0.006 + off * followed:
        return None
    return Row(size_bytes, elements, cells["type"], None, None, Measurement(time_us, algbw, busbw), None, line)


def note_command(run: Run, text: str) -> bool:
    """Take what a command of nccom-test says of its test; return whether the line holds one."""
    match = _COMMAND.search(text)
    if match is None:
        return False
    run.tool, run.collective = "nccom-test", _NAMES.get(match[1], match[1])
    workers, nodes = _WORKERS.search(text), _NODES.search(text)
    run.ranks = int(workers[1]) if workers else run.ranks
    run.nodes = int(nodes[1]) if nodes else run.nodes
    return True
