"""Names of nodes as Slurm abbreviates them: queue1-dy-p5-[1-3,7],head.

https://slurm.schedmd.com/hostlist.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard_node.errors import NodeError

# Slurm itself knows no more nodes: MAX_SLURM_NODES in https://github.com/SchedMD/slurm/blob/master/slurm/slurm.h.in
MOST_NODES = 65536
_PART = re.compile(r"[^\[\],]+|\[[^\[\]]*\]|,")
_RANGE = re.compile(r"([0-9]+)(?:-([0-9]+))?\Z")


def expand_hostlist(hostlist: str) -> list[str]:
    """Return the names one by one, in their order. Raises NodeError where it is no hostlist, or one without end."""
    names: list[str] = []
    for item in _split(hostlist):
        heads = [""]
        for part in item:
            tails = _alternatives(part)
            if len(heads) * len(tails) + len(names) > MOST_NODES:
                raise NodeError(f"{_short(hostlist)} names more than {MOST_NODES} nodes")
            heads = [head + tail for head in heads for tail in tails]
        names.extend(heads)
    return names


def _split(hostlist: str) -> Iterator[list[str]]:
    """Yield the names between commas, each as its parts. A comma within brackets separates ranges."""
    parts = _PART.findall(hostlist)
    if "".join(parts) != hostlist:
        raise NodeError(f"{_short(hostlist)} is no list of nodes")
    item_parts: list[str] = []
    for part in [*parts, ","]:
        if part != ",":
            item_parts.append(part)
        elif item_parts:
            yield item_parts
            item_parts = []


def _alternatives(part: str) -> list[str]:
    if not part.startswith("["):
        return [part]
    return [name for piece in part[1:-1].split(",") for name in _numbers(piece)]


def _numbers(piece: str) -> list[str]:
    """Return the numbers of a range, with as many digits as its first one has."""
    match = _RANGE.match(piece)
    if match is None:
        raise NodeError(f"{_short(piece)} is no range of nodes")
    first, last = match[1], match[2] or match[1]
    if len(last) > 9 or int(last) - int(first) >= MOST_NODES:
        raise NodeError(f"{_short(piece)} names more than {MOST_NODES} nodes")
    return [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]


def _short(text: str) -> str:
    return ascii(text[:60])
