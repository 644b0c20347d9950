"""GPUs in Slurm's words: gpu:h100:8(S:0-1) on nodes, gpu:h100:2(IDX:0-1) in use, gres/gpu:h100=2 in a job."""

from __future__ import annotations

import re
from functools import lru_cache

# A count may end in K, M or G: https://slurm.schedmd.com/slurm.conf.html#OPT_Gres_1
_COUNT = re.compile(r"([0-9]+)([KMGTP]?)\Z")
_NAME = re.compile(r"[\w.-]+\Z")
_WHICH = re.compile(r"\([^()]*\)\Z")
_FACTOR = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}
# Commas within brackets separate indexes.
_COMMA = re.compile(r",(?![^()]*\))")


@lru_cache(maxsize=4096)
def gres_counts(text: str) -> tuple[tuple[str, int], ...]:
    """Return each kind of resource with its count, such as gpu:h100 and 8, in the order of the text.

    What Slurm prints for none, `(null)` and `N/A`, and what is no resource, gives nothing.
    """
    counts: dict[str, int] = {}
    for piece in _COMMA.split(text):
        counted = _gres_count(_WHICH.sub("", piece.strip()))
        if counted is not None:
            kind, count = counted
            counts[kind] = counts.get(kind, 0) + count
    return tuple(counts.items())


def _gres_count(piece: str) -> tuple[str, int] | None:
    """Return kind and count of one resource. A type may begin with a digit, such as that of gpu:1g.5gb:7."""
    name = piece[5:] if piece.startswith(("gres/", "gres:")) else piece
    parts = name.replace("=", ":", 1).split(":")
    number = _COUNT.match(parts[-1]) if len(parts) > 1 else None
    kind = [part for part in (parts[:-1] if number else parts) if part != "no_consume"]
    if not name or name == "N/A" or not all(map(_NAME.match, kind)) or ("=" in piece and number is None):
        return None
    return ":".join(kind), int(number[1]) * _FACTOR[number[2]] if number else 1


def gpu_count(text: str) -> int:
    """Return how many GPUs are meant. `gres/gpu=2,gres/gpu:h100=2` says the same two twice: the plain count is all."""
    return _gpus(text) if "gpu" in text else 0


@lru_cache(maxsize=4096)
def _gpus(text: str) -> int:
    counts = dict(gres_counts(text))
    if "gpu" in counts:
        return counts["gpu"]
    return sum(count for kind, count in counts.items() if kind.startswith("gpu:"))
