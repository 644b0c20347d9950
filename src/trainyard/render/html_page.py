"""What all HTML reports share: a page that loads nothing, tables that fit a phone, and prose with code in it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree as ET

from trainyard.render.markup import add, after, markup_text


def new_page(title: str, styles: Sequence[str] = (), script: str = "") -> tuple[ET.Element, ET.Element]:
    """Return the root of a page and its body. The style of all reports comes before its own styles."""
    root = ET.Element("html", {"lang": "en"})
    head = add(root, "head")
    all_styles = (Path(__file__).with_name("html_page.css").read_text(encoding="utf-8"), *styles)
    # Nothing may be loaded, from anywhere: what the page needs stands in it, and is named here by its hash.
    rules = f"default-src 'none'; style-src {' '.join(map(_hash, all_styles))}; "
    rules += f"script-src {_hash(script)}; " if script else ""
    add(head, "meta", charset="utf-8")
    add(
        head,
        "meta",
        http_equiv="Content-Security-Policy",
        content=f"{rules}base-uri 'none'; form-action 'none'",
    )
    add(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    add(head, "meta", name="color-scheme", content="light dark")
    add(head, "meta", name="referrer", content="no-referrer")
    add(head, "title", title)
    for style in all_styles:
        add(head, "style").text = style
    return root, add(root, "body")


def _hash(words: str) -> str:
    return f"'sha256-{b64encode(sha256(words.encode()).digest()).decode()}'"


def add_table(parent: ET.Element, columns: Iterable[str]) -> ET.Element:
    """Add a table and return its body. On a phone each row becomes a card: ``name_cells`` says what stands in it."""
    table = add(add(parent, "div", class_="wide"), "table")
    header = add(add(table, "thead"), "tr")
    for column in columns:
        add(header, "th", column, scope="col")
    return add(table, "tbody")


def name_cells(row: ET.Element, columns: Iterable[str]) -> None:
    """Give each cell of a whole row the name of its column, which a phone shows beside it."""
    for cell, column in zip(row, columns, strict=True):
        if cell.tag == "td":
            cell.set("data-label", markup_text(column))
            if not len(cell) and not cell.text:
                cell.set("class", f"{cell.get('class', '')} empty".strip())


def add_row(body: ET.Element, columns: Sequence[str], cells: Sequence[object]) -> ET.Element:
    """Add a row whose first cell names it. What is a number, or begins with one, stands in one column with others."""
    row = add(body, "tr")
    add(row, "th", cells[0], scope="row")
    for cell in cells[1:]:
        look = {"class": "number"} if str(cell)[:1].isdecimal() else {}
        add(row, "td", cell, **look)
    name_cells(row, columns)
    return row


def prose(element: ET.Element, words: object) -> ET.Element:
    """Add words behind what is in an element, with code where they have backticks around it. Return the element."""
    parts = str(words).split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner is itself
        parts = [str(words)]
    for at, part in enumerate(parts):
        if at % 2:
            add(element, "code", part)
        elif len(element):
            after(element[-1], part)
        else:
            element.text = (element.text or "") + markup_text(part)
    return element
