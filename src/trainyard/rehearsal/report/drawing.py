"""The architecture drawing within the page: only what a drawing of ours is made of comes through."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from trainyard.render.markup import add, said

_SVG = "{http://www.w3.org/2000/svg}"
_TAGS = frozenset({"svg", "title", "desc", "rect", "path", "g", "text"})
_ATTRIBUTES = frozenset(
    {"class", "id", "role", "viewBox", "x", "y", "width", "height", "rx", "d", "transform", "font-size", "font-weight"}
    | {"text-anchor", "aria-label", "aria-labelledby"}
)


def add_drawing(parent: ET.Element, svg: str) -> None:
    """Add the drawing, or say that there is none. Its style is that of the page, not what it brings along."""
    root = _parsed(svg)
    if root is None:
        add(parent, "p", "The drawing of this rehearsal cannot be read.", class_="quiet")
        return
    frame = add(parent, "div", class_="drawing")
    frame.extend(_copies((root,)))


def _parsed(svg: str) -> ET.Element | None:
    # A drawing of ours declares nothing. Without declarations, there are no entities to expand.
    if "<!" in svg:
        return None
    try:
        root = ET.fromstring(svg)  # noqa: S314  see above
    except ET.ParseError:
        return None
    return root if root.tag == f"{_SVG}svg" else None


def _copies(elements: Iterator[ET.Element] | tuple[ET.Element, ...]) -> Iterator[ET.Element]:
    for element in elements:
        tag = element.tag.removeprefix(_SVG)
        if tag not in _TAGS:
            continue
        copy = ET.Element(tag, {name: said(value) for name, value in element.items() if name in _ATTRIBUTES})
        copy.text = said(element.text or "")
        copy.extend(_copies(iter(element)))
        yield copy
