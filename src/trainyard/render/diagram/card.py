"""A card: one thing of the cluster with its icon, its name and some lines about it."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

from trainyard.render.diagram.canvas import LINE, NAME, Box, group, icon, rectangle, text
from trainyard.render.diagram.text_width import printable, wrap

_PADDING = 10
_ICON = 24
"""Width of an icon with the space after it."""
_LEADING = 15


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says."""

    icon: str
    look: str
    """compute, storage, network, people, watch or bucket."""
    name: str
    lines: tuple[str, ...] = ()

    def height(self, width: float) -> float:
        """Return how high it is in a column of a width."""
        names = len(_wrapped_name(self, width))
        return _PADDING * 2 + 18 + _LEADING * (names - 1 + len(_wrapped_lines(self, width)))

    def draw(self, parent: ET.Element, box: Box) -> None:
        """Draw it into a box that may be higher than it needs."""
        element = group(parent, ", ".join((self.name, *self.lines)))
        rectangle(element, box, "ty-card", radius=6)
        icon(element, self.icon, (box.x + _PADDING, box.y + _PADDING), self.look)
        base = box.y + _PADDING + 14
        for shown in _wrapped_name(self, box.width):
            text(element, (box.x + _PADDING + _ICON, base), shown, NAME, _room(box.width) - _ICON, whole=self.name)
            base += _LEADING
        for shown, line in _wrapped_lines(self, box.width):
            place = (box.x + _PADDING, base + 3)
            text(element, place, shown, LINE, _room(box.width), look="ty-muted", whole=line)
            base += _LEADING


def _room(width: float) -> float:
    return width - 2 * _PADDING


def _wrapped_name(card: Card, width: float) -> tuple[str, ...]:
    return wrap(printable(card.name), NAME, _room(width) - _ICON)


def _wrapped_lines(card: Card, width: float) -> list[tuple[str, str]]:
    """Return each line as it is shown, with the text that it is a part of."""
    lines = (printable(line) for line in card.lines)
    return [(shown, line) for line in lines for shown in wrap(line, LINE, _room(width))]
