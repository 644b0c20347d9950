"""Which lines count: those of some nodes, or of a part of time."""

from __future__ import annotations

import datetime as dt
import re
from typing import NamedTuple


class LineFilter(NamedTuple):
    """What is asked for; everything where nothing is said."""

    since: dt.datetime | None = None
    until: dt.datetime | None = None
    nodes: tuple[str, ...] = ()
    """Host names or instance ids."""

    @property
    def is_everything(self) -> bool:
        """Return whether no line is left out."""
        return self.since is None and self.until is None and not self.nodes

    def is_of_period(self, time: dt.datetime | None) -> bool:
        """Return whether a time is asked for. A line that tells none may be of any time."""
        if time is None:
            return True
        return (self.since is None or time >= self.since) and (self.until is None or time < self.until)

    def is_of_nodes(self, file: str, node: str | None) -> bool:
        """Return whether a line is of a node that is asked for: by what it says, or by a part of its file's name."""
        if not self.nodes:
            return True
        named = {(node or "").casefold(), *re.split(r"[./]", file.casefold())}
        return any({node.casefold(), short(node)} & named for node in self.nodes)


EVERYTHING = LineFilter()


def short(node: str) -> str:
    """Return the name of a host without its domain, in small letters: names of hosts have no case."""
    return node.partition(".")[0].casefold()
