"""What a picture is made of: boxes, lines, icons and text that never leaves its room."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from trainyard.render.data_files import data
from trainyard.render.diagram.text_width import ELLIPSIS, Type, printable, shorten

Point = tuple[float, float]

HEADING = Type(21, bold=True)
NAME = Type(13, bold=True)
AREA = Type(12, bold=True)
LINE = Type(11.5)
NOTE = Type(10.5)


class Box(NamedTuple):
    """A rectangle in pixels, counted from the upper left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    @property
    def center(self) -> float:
        """Half of the way from left to right."""
        return self.x + self.width / 2

    @property
    def middle(self) -> float:
        """Half of the way from top to bottom."""
        return self.y + self.height / 2


def group(parent: ET.Element, about: str) -> ET.Element:
    """Add a group with a name of its own, for who points at it and for who cannot see it."""
    return ET.SubElement(parent, "g", {"role": "group", "aria-label": printable(about)})


def rectangle(parent: ET.Element, box: Box, look: str, radius: float = 0) -> None:
    """Add a box."""
    place = {"x": box.x, "y": box.y, "width": box.width, "height": box.height, "rx": radius}
    ET.SubElement(parent, "rect", {"class": look, **{key: number(value) for key, value in place.items()}})


def line(parent: ET.Element, points: Sequence[Point], look: str) -> None:
    """Add a line through points."""
    ET.SubElement(parent, "path", {"class": look, "d": path_data(points)})


def icon(parent: ET.Element, name: str, place: Point, look: str) -> None:
    """Add an icon, 18 by 18 pixels, by its upper left corner."""
    at = f"translate({number(place[0])} {number(place[1])})"
    path = data("diagram/icons.yaml")[name]
    ET.SubElement(parent, "path", {"class": f"ty-icon ty-icon-{look}", "transform": at, "d": path})


def text(  # noqa: PLR0913  where, what, how it looks and how much room there is: all of it differs each time
    parent: ET.Element,
    place: Point,
    words: str,
    letters: Type,
    width: float,
    *,
    look: str = "ty-text",
    anchor: str = "start",
    whole: str | None = None,
) -> None:
    """Add one line of text by its base line. What does not fit is cut off, and stands whole in its title.

    ``whole`` is what the words are a line of, where they are.
    """
    shown = shorten(printable(words), letters, width)
    whole_text = printable(whole or words)
    attributes = {"class": look, "x": number(place[0]), "y": number(place[1]), "font-size": number(letters.size)}
    attributes |= {"font-weight": "bold"} if letters.bold else {}
    attributes |= {} if anchor == "start" else {"text-anchor": anchor}
    element = ET.SubElement(parent, "text", attributes)
    element.text = shown
    if shown.endswith(ELLIPSIS):
        ET.SubElement(element, "title").text = whole_text


def path_data(points: Sequence[Point]) -> str:
    """Return the path through points, as SVG writes it."""
    return "M" + " L".join(f"{number(x)} {number(y)}" for x, y in points)


def number(value: float) -> str:
    """Return a number with at most two digits after the point, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
