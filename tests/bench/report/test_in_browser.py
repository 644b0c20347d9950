"""The report in a real browser, opened from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.bench.report import reports
from tests.browser import chromium
from trainyard.bench.report.plots import plot_files
from trainyard.bench.report.report_page import report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


class Opened:
    """A page, and all that it asked for or complained about."""

    def __init__(self, browser: Browser, file: Path, text: str, **settings) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        file.write_text(text, encoding="utf-8")
        self.page: Page = browser.new_page(**settings)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dismiss)
        self.address = file.as_uri()
        self.page.goto(self.address)

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()


def opened(browser: Browser, folder: Path, kind: str, **settings) -> Opened:
    return Opened(browser, folder / "report.html", report_page(getattr(reports, kind)(folder)), **settings)


@pytest.mark.parametrize("kind", ["growing", "pairs", "processes", "hostile", "unknown"])
def test_no_request_leaves_the_page_and_nothing_complains(kind: str, browser: Browser, tmp_path: Path):
    one = opened(browser, tmp_path, kind)
    one.page.wait_for_load_state("networkidle")
    assert one.requests == [one.address]
    assert one.complaints == []


@pytest.mark.parametrize(("kind", "plots"), [("growing", 9), ("pairs", 5), ("processes", 4), ("unknown", 7)])
def test_every_plot_is_visible_and_its_lines_have_colours(kind: str, plots: int, browser: Browser, tmp_path: Path):
    page = opened(browser, tmp_path, kind, viewport={"width": 1100, "height": 900}).page
    drawn = page.locator("svg.plot:not(.narrow)")
    assert drawn.count() == plots
    assert not any(one.is_visible() for one in page.locator("svg.narrow").all())
    for at in range(plots):
        box = drawn.nth(at).bounding_box()
        assert box is not None
        assert box["width"] > 800
        assert box["height"] > 60
    strokes = page.evaluate("[...document.querySelectorAll('.line')].map(one => getComputedStyle(one).stroke)")
    assert strokes
    assert "none" not in strokes


def test_the_line_of_a_run_follows_its_figures(browser: Browser, tmp_path: Path):
    page = opened(browser, tmp_path, "growing", viewport={"width": 1100, "height": 900}).page
    # Those in legends have no title.
    ends = page.evaluate("""() => [...document.querySelectorAll('#bandwidth svg:not(.narrow) .line.run.s0')]
        .filter(line => line.querySelector('title')).map(line => {
            const first = line.getPointAtLength(0), last = line.getPointAtLength(line.getTotalLength());
            return [last.x - first.x, first.y - last.y];
        })""")
    assert len(ends) == 8
    assert all(right > 600 and up > 150 for right, up in ends), ends


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_of_plots_can_be_read_by_day_and_by_night(scheme, browser: Browser, tmp_path: Path):
    page = opened(browser, tmp_path, "pairs", color_scheme=scheme).page
    paper, ink = page.evaluate("""() => [
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('svg.plot .heading')).fill,
    ]""")
    light, dark = (sum(map(int, one.removeprefix("rgb(").removesuffix(")").split(","))) for one in (paper, ink))
    assert abs(light - dark) > 500


@pytest.mark.parametrize(("width", "pictures"), [(1100, "svg.plot:not(.narrow)"), (390, "svg.narrow")])
def test_no_words_of_a_plot_overlap(width: int, pictures: str, browser: Browser, tmp_path: Path):
    page = opened(browser, tmp_path, "growing", viewport={"width": width, "height": 900}).page
    overlapping = page.evaluate(f"""() => [...document.querySelectorAll('{pictures}')].flatMap(svg => {{
        const boxes = [...svg.querySelectorAll('text')].map(text => text.getBBox());
        return boxes.filter((a, at) => a.width === 0 || boxes.slice(at + 1).some(b => a.x < b.x + b.width
            && b.x < a.x + a.width && a.y + 2 < b.y + b.height && b.y + 2 < a.y + a.height));
    }}).length""")
    assert overlapping == 0


def test_a_phone_shows_plots_whole_and_as_large_and_scrolls_maps_of_nodes_alone(browser: Browser, tmp_path: Path):
    page = opened(browser, tmp_path, "pairs", viewport={"width": 390, "height": 800}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    frames = page.locator("#bandwidth .frame").all() + page.locator("#scaling .frame").all()
    assert frames
    for frame in frames:
        assert frame.evaluate("one => one.scrollWidth <= one.clientWidth")
        shown = [one for one in frame.locator("svg").all() if one.is_visible()]
        assert len(shown) == 1
        assert shown[0].evaluate("one => one.getScreenCTM().a") > 0.9
    assert page.locator("#nodes .frame").first.evaluate("one => one.scrollWidth > one.clientWidth")


def test_a_phone_shows_each_run_as_a_card_with_all_its_figures(browser: Browser, tmp_path: Path):
    page = opened(browser, tmp_path, "growing", viewport={"width": 500, "height": 800}).page
    assert page.evaluate("[...document.querySelectorAll('.wide')].every(one => one.scrollWidth <= one.clientWidth)")
    cell = page.locator("#runs td[data-label='Best GB/s']").first
    box = cell.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 500
    assert cell.evaluate("one => getComputedStyle(one, '::before').content") == '"Best GB/s"'
    assert "`" not in page.locator("body").inner_text()


def test_a_plot_stands_on_its_own_as_a_file(browser: Browser, tmp_path: Path):
    text = next(iter(plot_files(reports.growing(tmp_path)).values()))
    one = Opened(browser, tmp_path / "plot.svg", text)
    fill = one.page.evaluate("getComputedStyle(document.querySelector('.heading')).fill")
    assert fill == "rgb(27, 36, 48)"
    assert one.complaints == []
