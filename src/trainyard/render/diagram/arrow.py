"""Arrows: what flows from where to where, with its label, and what an arrow crosses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from xml.etree import ElementTree as ET

from trainyard.render.diagram.canvas import NOTE, Box, Point, line, path_data, text

_TIP = 7
"""Length of the tip of an arrow."""


@dataclass(frozen=True, slots=True)
class Flow:
    """An arrow and its label."""

    points: tuple[Point, ...]
    label: str = ""
    label_at: Point = (0, 0)
    both: bool = False
    room: float = 88
    """Width of the label."""
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


def arrow(parent: ET.Element, points: Sequence[Point], *, both: bool = False) -> None:
    """Draw a line through points with a tip at its end, or at both ends."""
    reached = (*points[:-1], _short_of(points[-2], points[-1]))
    if both:
        reached = (_short_of(points[1], points[0]), *reached[1:])
        _draw_tip(parent, points[1], points[0])
    line(parent, reached, "ty-flow")
    _draw_tip(parent, points[-2], points[-1])


def label(parent: ET.Element, place: Point, words: str, width: float, anchor: str = "start") -> None:
    """Write what an arrow stands for."""
    text(parent, place, words, NOTE, width, look="ty-label", anchor=anchor)


def _short_of(start: Point, end: Point) -> Point:
    """Return a point just before the end, so that the line does not show beside the tip."""
    right, down = _direction(start, end)
    return end[0] - right * (_TIP - 1), end[1] - down * (_TIP - 1)


def _draw_tip(parent: ET.Element, start: Point, end: Point) -> None:
    right, down = _direction(start, end)
    back = end[0] - right * _TIP, end[1] - down * _TIP
    aside = (-down * _TIP / 2, right * _TIP / 2)
    corners = (end, (back[0] + aside[0], back[1] + aside[1]), (back[0] - aside[0], back[1] - aside[1]))
    ET.SubElement(parent, "path", {"class": "ty-tip", "d": f"{path_data(corners)}Z"})


def _direction(start: Point, end: Point) -> Point:
    length = hypot(end[0] - start[0], end[1] - start[1])
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length
