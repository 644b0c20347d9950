"""One arrow with its label, and what it crosses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from trainyard.render.diagram.canvas import Box, Point

_LABEL_ROOM = 88


@dataclass(frozen=True, slots=True)
class Flow:
    """An arrow and its label."""

    points: tuple[Point, ...]
    label: str = ""
    label_at: Point = (0, 0)
    both: bool = False
    room: float = _LABEL_ROOM
    anchor: str = "start"

    def crossing(self, y: float) -> Iterator[float]:
        """Yield where it crosses a height."""
        for (x, start), (_, end) in pairwise(self.points):
            if min(start, end) < y < max(start, end):
                yield x

    def runs_through(self, box: Box) -> bool:
        """Return whether it runs through a box, not only up to its edge."""
        return any(
            min(x, to_x) < box.right - 1
            and max(x, to_x) > box.x + 1
            and min(y, to_y) < box.bottom - 1
            and max(y, to_y) > box.y + 1
            for (x, y), (to_x, to_y) in pairwise(self.points)
        )
