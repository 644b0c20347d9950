"""Pictures in a real browser: is all of it readable, in the fonts that this machine has?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from tests.browser import chromium
from tests.render.diagram.drawn import SPECS, drawn
from tests.specs import spec_texts

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.integration

# Texts that overlap another one, that leave the card they stand in or the picture, and that a line runs through.
PROBLEMS = """() => {
  const box = element => element.getBBox();
  const texts = [...document.querySelectorAll('text')].map(element => ({element, box: box(element)}));
  const overlap = (a, b) => a.x < b.x + b.width - .5 && b.x < a.x + a.width - .5
    && a.y < b.y + b.height - .5 && b.y < a.y + a.height - .5;
  const inside = (a, b) => a.x >= b.x && a.y >= b.y
    && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;
  const said = one => one.element.firstChild.textContent.trim();
  const found = [];
  texts.forEach((one, at) => texts.slice(at + 1).forEach(other => {
    if (overlap(one.box, other.box)) found.push(`${said(one)} overlaps ${said(other)}`);
  }));
  const [, , width, height] = document.documentElement.getAttribute('viewBox').split(' ').map(Number);
  for (const one of texts) {
    const card = one.element.closest('g')?.querySelector('rect');
    const room = card ? box(card) : {x: 0, y: 0, width, height};
    if (!inside(one.box, room)) found.push(`${said(one)} leaves its box`);
  }
  for (const flow of document.querySelectorAll('.ty-flow')) {
    for (let at = 0; at <= flow.getTotalLength(); at += 2) {
      const point = flow.getPointAtLength(at);
      const crossed = texts.find(({box}) => point.x > box.x && point.x < box.x + box.width
        && point.y > box.y + 1 && point.y < box.y + box.height - 1);
      if (crossed) { found.push(`a line runs through ${said(crossed)}`); break; }
    }
  }
  const things = [...document.querySelectorAll('g > rect:first-child')].map(box);
  things.forEach((one, at) => things.slice(at + 1).forEach(other => {
    if (overlap(one, other)) found.push(`boxes overlap at ${one.x} ${one.y} and ${other.x} ${other.y}`);
  }));
  for (const flow of document.querySelectorAll('.ty-flow')) {
    for (let at = 0; at <= flow.getTotalLength(); at += 2) {
      const point = flow.getPointAtLength(at);
      if (things.some(box => point.x > box.x + 1 && point.x < box.x + box.width - 1
        && point.y > box.y + 1 && point.y < box.y + box.height - 1)) { found.push('a line runs through a box'); break; }
    }
  }
  return {count: texts.length, found};
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def problems(browser: Browser, tmp_path_factory) -> Callable[[str], list[str]]:
    """Return a function that returns what is wrong with a picture."""
    file = tmp_path_factory.mktemp("drawn") / "architecture.svg"
    page = browser.new_page(viewport={"width": 1000, "height": 800})

    def found(svg: str) -> list[str]:
        file.write_text(svg, encoding="utf-8")
        page.goto(file.as_uri())
        seen: dict[str, Any] = page.evaluate(PROBLEMS)
        return list(seen["found"]) if seen["count"] > 15 else ["there is nearly nothing in it"]

    return found


@pytest.mark.parametrize("name", SPECS)
def test_nothing_overlaps_or_leaves_its_box(name: str, problems: Callable[[str], list[str]]):
    assert problems(drawn(SPECS[name])) == []


@given(text=spec_texts())
def test_nothing_overlaps_whatever_the_spec(text: str, problems: Callable[[str], list[str]]):
    assert problems(drawn(text)) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_by_day_and_by_night(scheme, browser: Browser, tmp_path: Path):
    file = tmp_path / "architecture.svg"
    file.write_text(drawn(SPECS["ten-queues-of-five"]), encoding="utf-8")
    page = browser.new_page(color_scheme=scheme)
    page.goto(file.as_uri())
    colours = page.evaluate("""() => [...document.querySelectorAll('text')].map(element => [
        getComputedStyle(element).fill,
        getComputedStyle(element.closest('g')?.querySelector('rect') ?? document.querySelector('.ty-paper')).fill,
    ])""")
    page.close()
    # What WCAG 2.2 asks of small text: https://www.w3.org/TR/WCAG22/#contrast-minimum
    assert min(contrast(*pair) for pair in colours) >= 4.5


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio"""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
