"""What somebody reads on a page without scrolling: each text that lies within the window and that nothing covers."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
        if (there && (there.contains(text) || text.parentElement.contains(there))) texts.push(text.textContent);
    }
    return texts;
}"""


def texts_above_the_fold(page: Page) -> list[str]:
    """Return them as they stand in the page."""
    texts: list[str] = page.evaluate(_READ)
    return texts
