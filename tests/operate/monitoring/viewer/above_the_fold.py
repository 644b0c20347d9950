"""What somebody reads on a page without scrolling: each text that lies within the window and that nothing covers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Page

_READ = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
        const text = walker.currentNode;
        if (!text.textContent.trim()) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        const {left, top, bottom, width, height} = range.getBoundingClientRect();
        if (!width || !height || bottom > innerHeight) continue;
        const there = document.elementFromPoint(left + Math.min(width / 2, 20), top + height / 2);
        const panel = text.parentElement.closest("[data-panel]");
        if (there && (there.contains(text) || text.parentElement.contains(there)))
            texts.push([panel ? panel.dataset.panel : "", text.textContent.trim()]);
    }
    return texts;
}"""


class SeenText(NamedTuple):
    """A text that can be read, and the panel that it is in; none is the page itself."""

    panel: str
    text: str


def texts_above_the_fold(page: Page) -> list[SeenText]:
    """Return them in the order of the page."""
    return [SeenText(*one) for one in page.evaluate(_READ)]


def stands_out(names: Iterable[str], seen: list[SeenText], calm: list[SeenText], all_names: Iterable[str]) -> bool:
    """Whether one of the names of a thing says more than it does while all is well.

    It is read more often, or it is the first of its kind in a panel in which it was not.
    """
    told, kind = set(names), set(all_names)
    more = sum(one.text in told for one in seen) > sum(one.text in told for one in calm)
    return more or bool(
        (_firsts(seen, kind) - _firsts(calm, kind)) & {(one.panel, one.text) for one in seen if one.text in told}
    )


def _firsts(texts: list[SeenText], kind: set[str]) -> set[tuple[str, str]]:
    """Return what each panel names first of all that are of a kind."""
    found: dict[str, str] = {}
    for one in texts:
        if one.text in kind:
            found.setdefault(one.panel, one.text)
    return set(found.items())
