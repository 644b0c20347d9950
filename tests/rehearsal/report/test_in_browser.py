"""The report in a real browser, opened from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser import chromium
from tests.rehearsal.report import results
from trainyard.rehearsal.report.report_page import report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


class Opened:
    """A page, and all that it asked for or complained about."""

    def __init__(self, browser: Browser, folder: Path, result, **settings) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        file = folder / "rehearsal.html"
        file.write_text(report_page(result), encoding="utf-8")
        self.page: Page = browser.new_page(**settings)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dismiss)
        self.page.goto(file.as_uri())
        self.address = file.as_uri()

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()


@pytest.mark.parametrize("name", ["good", "failed", "hostile"])
def test_no_request_leaves_the_page_and_nothing_complains(name: str, browser: Browser, tmp_path: Path):
    opened = Opened(browser, tmp_path, getattr(results, name)())
    opened.page.fill("#search", "vpc")
    opened.page.wait_for_load_state("networkidle")
    assert opened.requests == [opened.address]
    assert opened.complaints == []


def test_the_drawing_is_visible_and_as_large_as_it_was_drawn(browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.good(), viewport={"width": 1180, "height": 900}).page
    drawing = page.locator(".drawing svg")
    box = drawing.bounding_box()
    assert drawing.is_visible()
    assert box is not None
    assert box["width"] > 900
    assert box["height"] > 600
    assert page.locator(".drawing text", has_text="4 × p5.48xlarge").is_visible()
    # The style came through: boxes are not black.
    fill = page.locator(".drawing .ty-card").first.evaluate("card => getComputedStyle(card).fill")
    assert fill == "rgb(255, 255, 255)"


def test_the_timeline_is_filled_with_every_step_and_every_resource(browser: Browser, tmp_path: Path):
    result = results.good()
    page = Opened(browser, tmp_path, result).page
    bars = page.evaluate("""() => [...document.querySelectorAll('.timeline .bar')].map(bar => {
        const {x, width, height} = bar.getBBox();
        return [bar.classList.contains('resource'), x, width, height];
    })""")
    assert sum(resource for resource, *_ in bars) == len(result["resources"])
    assert sum(not resource for resource, *_ in bars) == len(result["steps"])
    assert min(width for *_, width, _ in bars) >= 3
    assert all(x >= 280 and x + width <= 920.5 for _, x, width, _ in bars)
    steps = [bar for bar in bars if not bar[0]]
    assert [x for _, x, *_ in steps] == sorted(x for _, x, *_ in steps)


def test_no_words_of_the_timeline_overlap(browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.hostile()).page
    overlapping = page.evaluate("""() => {
        const boxes = [...document.querySelectorAll('.timeline text')].map(text => text.getBBox());
        return boxes.filter((a, at) => boxes.slice(at + 1).some(b => a.x < b.x + b.width && b.x < a.x + a.width
            && a.y + 1 < b.y + b.height && b.y + 1 < a.y + a.height)).length;
    }""")
    assert overlapping == 0


def test_searching_shows_the_rows_that_have_every_word_and_opens_their_stacks(browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.good()).page
    page.fill("#search", "MONITORING grafana")
    assert page.locator("tbody tr:visible").all_inner_texts() == [
        text for text in page.locator("tbody tr").all_inner_texts() if "Grafana" in text and "Monitoring" in text
    ]
    assert page.locator("details[open]").count() == 1
    assert page.locator("#found").inner_text() == "1 found"
    page.fill("#search", "")
    assert page.locator("details[open]").count() == 0


def test_sorting_by_time_puts_the_longest_last_and_then_first(browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.good()).page
    stack = page.locator("details.stack").first
    stack.locator("summary").click()
    times = stack.locator("tbody tr td:last-child")
    button = stack.get_by_role("button", name="Time")
    for down in (False, True):
        button.click()
        values = [float(text.removesuffix(" s")) for text in times.all_inner_texts()]
        assert values == sorted(values, reverse=down)


def test_everything_can_be_read_without_a_script(browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.good(), java_script_enabled=False).page
    assert page.locator(".search").is_hidden()
    page.locator("summary").first.click()
    assert page.locator("tbody tr").first.is_visible()
    assert page.locator("#proved li").first.is_visible()


def test_paper_shows_what_the_screen_had_closed(browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.good(), java_script_enabled=False).page
    page.emulate_media(media="print")
    assert page.locator("tbody tr").first.is_visible()
    assert page.locator("nav").is_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_and_drawing_follow_day_and_night_together(scheme, browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.good(), color_scheme=scheme).page
    page_colour, drawing_colour = page.evaluate("""() => [
        getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('.ty-paper')).fill,
    ]""")
    assert page_colour == drawing_colour


def test_a_phone_scrolls_the_drawing_and_not_the_page(browser: Browser, tmp_path: Path):
    page = Opened(browser, tmp_path, results.good(), viewport={"width": 390, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
