"""Which lines count: those of some nodes, or of a part of time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import datetime as dt

    from trainyard.diagnose.hit import Hit


class Wanted(NamedTuple):
    """What is asked for; everything where nothing is said."""

    since: dt.datetime | None = None
    until: dt.datetime | None = None
    nodes: tuple[str, ...] = ()
    """Host names or instance ids."""

    def __call__(self, hit: Hit) -> bool:
        """Return whether a line counts. One that tells no time may be of any time."""
        if hit.time is not None and (
            (self.since is not None and hit.time < self.since) or (self.until is not None and hit.time >= self.until)
        ):
            return False
        return not self.nodes or any(_is_of(hit, node) for node in self.nodes)


EVERYTHING = Wanted()


def _is_of(hit: Hit, node: str) -> bool:
    """Return whether a line is of a node: by what the line says, or by a part of its file's name."""
    short = node.partition(".")[0]
    return hit.node in (node, short) or short in re.split(r"[./]", hit.file)
