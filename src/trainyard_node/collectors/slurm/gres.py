"""GPUs in Slurm's words: gpu:h100:8(S:0-1) on nodes, gpu:h100:2(IDX:0-1) in use, gres/gpu:h100=2 in a job."""

from __future__ import annotations

import re
from functools import lru_cache

# A count may end in K, M or G: https://slurm.schedmd.com/slurm.conf.html#OPT_Gres_1
_GRES = re.compile(r"(?:gres[:/])?([\w.-]+)(?:[:/]([A-Za-z_][\w.-]*))?(?:[:=]([0-9]+)([KMGTP]?))?(?:\([^()]*\))?\Z")
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
        found = _GRES.match(piece.strip())
        if found is None or piece in ("N/A", ""):
            continue
        kind = found[1] if found[2] is None else f"{found[1]}:{found[2]}"
        counts[kind] = counts.get(kind, 0) + (int(found[3]) * _FACTOR[found[4]] if found[3] else 1)
    return tuple(counts.items())


def gpu_count(text: str) -> int:
    """Return how many GPUs are meant. `gres/gpu=2,gres/gpu:h100=2` says the same two twice: the plain count is all."""
    return _gpus(text) if "gpu" in text else 0


@lru_cache(maxsize=4096)
def _gpus(text: str) -> int:
    counts = dict(gres_counts(text))
    if "gpu" in counts:
        return counts["gpu"]
    return sum(count for kind, count in counts.items() if kind.startswith("gpu:"))
