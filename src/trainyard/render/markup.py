"""HTML out of elements, never out of strings: whatever a name contains, it stays text."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from trainyard.render.diagram.text_width import printable


def add(parent: ET.Element, tag: str, words: object = None, **attributes: str) -> ET.Element:
    """Add an element. An attribute's name may end in _, where Python has the word for itself, and has - for _."""
    named = {name.rstrip("_").replace("_", "-"): markup_text(value) for name, value in attributes.items()}
    element = ET.SubElement(parent, tag, named)
    if words is not None:
        element.text = markup_text(words)
    return element


def after(element: ET.Element, words: object) -> None:
    """Add words behind an element."""
    element.tail = (element.tail or "") + markup_text(words)


def link(parent: ET.Element, url: str, words: str | None = None) -> None:
    """Add a link to a page in the web, plain words for any other address."""
    if not url.startswith(("https://", "http://")):
        add(parent, "span", words or url)
        return
    add(parent, "a", words or url, href=url, rel="noreferrer noopener", target="_blank")


def markup_text(words: object) -> str:
    """Return something as text that can be shown, with its line breaks."""
    return "\n".join(printable(line) for line in str(words).split("\n"))


def page(root: ET.Element) -> str:
    """Return a whole page."""
    return "<!doctype html>\n" + ET.tostring(root, encoding="unicode", method="html") + "\n"
