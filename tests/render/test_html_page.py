"""What all HTML reports share."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from xml.etree import ElementTree as ET

import pytest

from trainyard.render.html_page import add_row, add_table, new_page, prose
from trainyard.render.markup import add, page


def written(words: str) -> str:
    return ET.tostring(prose(ET.Element("p"), words), encoding="unicode", method="html")


@pytest.mark.parametrize(
    ("words", "html"),
    [
        ("run `a b`, then `c`", "<p>run <code>a b</code>, then <code>c</code></p>"),
        ("`a`", "<p><code>a</code></p>"),
        ("no code", "<p>no code</p>"),
        ("a ` alone", "<p>a ` alone</p>"),
        ("`<b>`", "<p><code>&lt;b&gt;</code></p>"),
    ],
)
def test_backticks_become_code_and_are_not_printed(words: str, html: str):
    assert written(words) == html


def test_prose_goes_behind_what_is_there():
    element = ET.Element("p")
    add(element, "strong", "What to do: ")
    prose(element, "run `x`")
    assert "".join(element.itertext()) == "What to do: run x"
    assert [child.tag for child in element] == ["strong", "code"]


def test_a_page_allows_only_what_stands_in_it():
    root, _ = new_page("title", ["p { color: red }"], "1;")
    text = page(root)
    for part in ("p { color: red }", "1;"):
        assert f"'sha256-{b64encode(sha256(part.encode()).digest()).decode()}'" in text
    assert "default-src 'none'" in text
    assert "script-src" not in page(new_page("title")[0])


def test_each_cell_knows_the_name_of_its_column_and_an_empty_one_that_it_is_empty():
    body = add_table(ET.Element("main"), ("Node", "GB/s", "Note"))
    row = add_row(body, ("Node", "GB/s", "Note"), ("n1", "480", ""))
    assert [cell.tag for cell in row] == ["th", "td", "td"]
    assert [cell.get("data-label") for cell in row] == [None, "GB/s", "Note"]
    assert [cell.get("class") for cell in row] == [None, "number", "empty"]
