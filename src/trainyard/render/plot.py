"""A plot as SVG: two axes with round numbers, and lines, bands and dots between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import ceil, floor, log, log10
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from trainyard.render.diagram.canvas import LINE, NAME, NOTE, Point, number, path_data, text
from trainyard.render.markup import markup_text

STYLE = Path(__file__).with_name("plot.css")
_RIGHT, _TOP, _BOTTOM = 22, 48, 50
_LEGEND_ROW = 20
# Below so many powers of ten an axis says too little of the values on it.
_FEWEST_POWERS = 2


class Shape(NamedTuple):
    """How large a picture is, in units that are a pixel each where it fills its place."""

    width: int
    height: int
    """Without the legend."""
    left: int
    """What is left of the axes."""
    legend_column: int
    most_ticks: int
    """Below the picture."""


WIDE = Shape(760, 400, 60, 236, 9)
# As wide as a phone that is held upright: nothing has to be scrolled, and letters stay as large.
NARROW = Shape(360, 320, 52, 300, 5)


class Axis(NamedTuple):
    """A range of values on a side of a plot."""

    title: str
    least: float
    most: float
    written: Callable[[float], str]
    base: int | None = None
    """Of its logarithm; None where it is even."""

    def at(self, value: float) -> float:
        """Return where a value stands, from 0 to 1."""
        if self.base is None:
            share = (value - self.least) / (self.most - self.least)
        else:
            share = log(max(value, self.least) / self.least) / log(self.most / self.least)
        return min(max(share, 0.0), 1.0)

    def ticks(self, most: int = WIDE.most_ticks) -> list[float]:
        """Return the round values on it, no more than so many."""
        if self.base is None:
            step = _round_step((self.most - self.least) / (most - 1))
            return [step * at for at in range(ceil(self.least / step), floor(self.most / step) + 1)]
        lowest = ceil(round(log(self.least, self.base), 9))
        powers = range(lowest, floor(round(log(self.most, self.base), 9)) + 1)
        if self.base == 10 and len(powers) < _FEWEST_POWERS:
            return self._within_a_decade(most)
        each = max(1, ceil(len(powers) / most))
        return [float(self.base) ** power for power in powers if (power - lowest) % each == 0]

    def _within_a_decade(self, most: int) -> list[float]:
        """Return round values where hardly a power of ten lies between the ends: 1, 2 and 5, or an even step."""
        decades = range(floor(log10(self.least)), ceil(log10(self.most)) + 1)
        by_thirds = [each * 10.0**decade for decade in decades for each in (1, 2, 5)]
        ticks = [tick for tick in by_thirds if self.least <= tick <= self.most]
        step = _round_step((self.most - self.least) / (min(most, 5) - 1) or self.least)
        even = [step * at for at in range(ceil(self.least / step), floor(self.most / step) + 1)]
        return ticks if len(ticks) > _FEWEST_POWERS or len(ticks) >= len(even) else even


def linear(title: str, most: float, written: Callable[[float], str]) -> Axis:
    """Return an axis from 0 to a little more than a value."""
    return Axis(title, 0.0, max(most, 1e-9) * 1.06, written)


def logarithmic(title: str, values: Iterable[float], base: int, written: Callable[[float], str]) -> Axis:
    """Return an axis by powers of a base, as wide as the values, which are positive."""
    ascending = sorted(values) or [1.0]
    least, most = ascending[0], ascending[-1]
    return Axis(title, least, most if most > least else least * base, written, base)


class Plot:
    """A picture that grows: what is drawn later lies above."""

    def __init__(self, title: str, about: str, x: Axis, y: Axis, shape: Shape = WIDE) -> None:
        """Draw the axes. ``about`` says in words what can be seen, for who cannot see it."""
        self.x, self.y, self.shape = x, y, shape
        look = "plot narrow" if shape is NARROW else "plot"
        self.svg = ET.Element("svg", {"class": look, "role": "img", "xmlns": "http://www.w3.org/2000/svg"})
        ET.SubElement(self.svg, "title").text = markup_text(title)
        ET.SubElement(self.svg, "desc").text = markup_text(about)
        text(self.svg, (0, 18), title, NAME, shape.width, look="heading")
        self._named: list[tuple[str, str]] = []
        self._draw_axes()

    def place(self, x: float, y: float) -> Point:
        """Return where two values meet."""
        whole, left = self.shape, self.shape.left
        width, height = whole.width - left - _RIGHT, whole.height - _TOP - _BOTTOM
        return left + self.x.at(x) * width, whole.height - _BOTTOM - self.y.at(y) * height

    def line(self, points: Sequence[Point], look: str, named: str | None = None, about: str | None = None) -> None:
        """Draw a line through values, with a name in the legend and words for who points at it."""
        if len(points) < 2:
            for point in points:
                self.dot(point, look, about or named or "")
        else:
            path = ET.SubElement(
                self.svg, "path", {"class": f"line {look}", "d": path_data([self.place(*point) for point in points])}
            )
            if about or named:
                ET.SubElement(path, "title").text = markup_text(about or named)
        self._name(named, f"line {look}")

    def band(self, low: Sequence[Point], high: Sequence[Point], look: str, named: str) -> None:
        """Fill what lies between two lines."""
        around = [*(self.place(*point) for point in low), *(self.place(*point) for point in reversed(high))]
        ET.SubElement(self.svg, "path", {"class": f"band {look}", "d": f"{path_data(around)} Z"})
        self._name(named, f"band {look}")

    def dot(self, point: Point, look: str, about: str, named: str | None = None) -> None:
        """Mark one place."""
        x, y = self.place(*point)
        dot = ET.SubElement(self.svg, "circle", {"class": f"dot {look}", "cx": number(x), "cy": number(y), "r": "3.5"})
        if about:
            ET.SubElement(dot, "title").text = markup_text(about)
        self._name(named, f"dot {look}")

    def done(self) -> ET.Element:
        """Return the picture with its legend."""
        width, height, left, column, _ = self.shape
        columns = (width - left) // column
        for at, (named, look) in enumerate(self._named):
            x, y = left + at % columns * column, height + 4 + at // columns * _LEGEND_ROW
            _key(self.svg, look, x, y)
            text(self.svg, (x + 30, y + 4), named, LINE, column - 38, look="label")
        rows = ceil(len(self._named) / columns)
        self.svg.set("viewBox", f"0 0 {width} {height + rows * _LEGEND_ROW}")
        return self.svg

    def _name(self, named: str | None, look: str) -> None:
        if named is not None and (named, look) not in self._named:
            self._named.append((named, look))

    def _draw_axes(self) -> None:
        left, right, bottom = self.shape.left, self.shape.width - _RIGHT, self.shape.height - _BOTTOM
        for value in self.y.ticks():
            y = self.place(self.x.least, value)[1]
            _straight(self.svg, (left, y), (right, y), "grid")
            text(self.svg, (left - 8, y + 4), self.y.written(value), NOTE, left, look="label", anchor="end")
        for value in self.x.ticks(self.shape.most_ticks):
            x = self.place(value, self.y.least)[0]
            _straight(self.svg, (x, bottom), (x, bottom + 5), "axis")
            text(self.svg, (x, bottom + 19), self.x.written(value), NOTE, 80, look="label", anchor="middle")
        _straight(self.svg, (left, bottom), (right, bottom), "axis")
        text(self.svg, ((left + right) / 2, bottom + 38), self.x.title, NOTE, right, look="label", anchor="middle")
        text(self.svg, (0, _TOP - 12), self.y.title, NOTE, right, look="label")


def _straight(svg: ET.Element, start: Point, end: Point, look: str) -> None:
    ET.SubElement(svg, "path", {"class": look, "d": path_data((start, end))})


def _key(svg: ET.Element, look: str, x: float, y: float) -> None:
    kind = look.partition(" ")[0]
    if kind == "line":
        _straight(svg, (x, y), (x + 22, y), look)
    elif kind == "band":
        corners = ((x, y - 6), (x + 22, y - 6), (x + 22, y + 6), (x, y + 6))
        ET.SubElement(svg, "path", {"class": look, "d": f"{path_data(corners)} Z"})
    else:
        ET.SubElement(svg, "circle", {"class": look, "cx": number(x + 11), "cy": number(y), "r": "3.5"})


def _round_step(step: float) -> float:
    """Return the next of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** floor(log10(step))
    return next(nice * power for nice in (1, 2, 5, 10) if nice * power >= step * 0.999)
