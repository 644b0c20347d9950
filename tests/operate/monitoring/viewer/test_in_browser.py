"""The page in a real browser: every dashboard on an hour of a whole cluster, and everything that can go wrong.

Pictures of all of them are kept in .make/viewer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser import chromium
from tests.monitoring.an_hour import an_hour
from tests.operate.logs.conftest import account as account  # noqa: PLC0414  a fixture
from tests.operate.logs.planted import SLURMD, now_ms, plant, put
from tests.operate.monitoring.viewer.fake_source import FakeSource
from tests.operate.monitoring.viewer.viewing import Viewing, viewing
from trainyard.edge.prometheus_api import PrometheusApi
from trainyard.edge.prometheus_connection import Connection
from trainyard.errors import TrainyardError
from trainyard.foreign_text import one_line
from trainyard.monitoring.alert import alerts
from trainyard.monitoring.dashboard import dashboards

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
PICTURES = Path(__file__).parents[4] / ".make" / "viewer"
SIZES = {390: {"width": 390, "height": 844}, 1400: {"width": 1400, "height": 900}}
MARKUP = "</h3><img src=x onerror=alert(1)>{{node}}"
HOSTILE = f"{MARKUP}\u202e"
# How many colours each drawing on a canvas has: one where nothing was drawn.
COLOURS = """() => [...document.querySelectorAll('.chart canvas, .map canvas, .tiles canvas')].map(canvas => {
    const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    for (let at = 0; at < data.length; at += 4)
        if (data[at + 3]) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
    return colours.size;
})"""
# Parts of the drawings that are no canvas and take no room, although they should.
INVISIBLE = """() => [...document.querySelectorAll('.gauge path, .states .track i')].filter(one => {
    const {width, height} = one.getBoundingClientRect();
    return width < 1 || height < 1;
}).length"""
DRAWN = {
    "timeseries": ".chart canvas",
    "heatmap": ".map canvas",
    "gauge": ".gauge svg",
    "bars": ".bars b",
    "states": ".states i",
    "tiles": ".tiles canvas",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Iterator[tuple[Viewing, int]]:
    """Return a viewer of a whole cluster, and when its hour ends."""
    with (
        an_hour(tmp_path_factory.mktemp("hour")) as hour,
        viewing(PrometheusApi(Connection(hour.prometheus.url))) as viewer,
    ):
        yield viewer, hour.end_s


class Opened:
    """A page, and all that it asked for or complained about."""

    def __init__(self, browser: Browser, viewer: Viewing, target: str, **settings) -> None:
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page: Page = browser.new_page(**{"viewport": SIZES[1400], **settings})
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", self._dismiss)
        self.go(viewer, target)

    def go(self, viewer: Viewing, target: str) -> None:
        self.requests.clear()
        self.complaints.clear()
        self.page.goto(f"{viewer.url}{target}")
        self.complete()

    def choose(self, dashboard: str) -> None:
        """Go to another dashboard by its link, as one does."""
        self.page.locator(f"nav [data-dashboard={dashboard}]").click()
        self.complete(f"='{dashboard}'")

    def complete(self, which: str = "") -> None:
        self.page.wait_for_selector(f"body[data-complete{which}]", timeout=300_000)

    def _dismiss(self, dialog: Dialog) -> None:
        self.complaints.append(dialog.message)
        dialog.dismiss()


@pytest.fixture(scope="module")
def seen(whole, browser) -> Callable[[int, str], Opened]:
    """Return a page of the whole cluster of some size, by day or by night; the same one for the same."""
    return cache(lambda width, scheme: Opened(browser, whole[0], "", viewport=SIZES[width], color_scheme=scheme))


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        pytest.param(1400, "light", id="desktop-light"),
        pytest.param(390, "dark", id="phone-dark", marks=pytest.mark.exhaustive),
        pytest.param(1400, "dark", id="desktop-dark", marks=pytest.mark.exhaustive),
        pytest.param(390, "light", id="phone-light", marks=pytest.mark.exhaustive),
    ],
)
@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda one: one.id)
def test_every_dashboard_is_drawn_whole_and_asks_nobody_else(dashboard, width, scheme, whole, seen):
    viewer, end_s = whole
    opened = seen(width, scheme)
    opened.go(viewer, f"{dashboard.id}?to={end_s}")
    page = opened.page
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{dashboard.id}-{width}-{scheme}.png", full_page=True)
    assert opened.complaints == []
    assert {urlsplit(request).netloc for request in opened.requests} == {urlsplit(viewer.url).netloc}
    assert page.locator(".panel").count() == len(list(dashboard.panels()))
    assert page.locator(".panel.loading, .message.error").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert all(colours > 1 for colours in page.evaluate(COLOURS))
    assert page.evaluate(INVISIBLE) == 0
    rightly = {panel.id for panel in dashboard.panels() if panel.may_be_empty}
    empty = {one.get_attribute("data-panel") for one in page.locator(".panel:has(.message)").all()}
    assert empty <= rightly
    drawn = [panel for panel in dashboard.panels() if panel.kind in DRAWN and panel.id not in empty]
    missing = [one.id for one in drawn if not page.locator(f"[data-panel={one.id}] {DRAWN[one.kind]}").count()]
    assert missing == []


def test_dragging_over_a_drawing_shows_its_time_everywhere_and_the_address_keeps_it(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"host-system?to={end_s}").page
    box = page.locator("[data-panel=cpu] .chart").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 60, steps=4)
    page.mouse.up()
    page.wait_for_function("location.search.includes('from=')")
    page.wait_for_selector("body[data-complete]", timeout=300_000)
    from_s, to_s = (int(moment) for moment in re.findall(r"(?:from|to)=(\d+)", page.url))
    assert 500 < to_s - from_s < 1000
    assert end_s - 3000 < from_s < to_s < end_s - 1000
    assert page.locator("#range").input_value() == "own"
    page.locator("#zoom-out").click()
    page.wait_for_function(f"!location.search.includes('from={from_s}')")
    wider_from_s, wider_to_s = (int(moment) for moment in re.findall(r"(?:from|to)=(\d+)", page.url))
    assert abs(wider_to_s - wider_from_s - 2 * (to_s - from_s)) <= 2
    page.locator("#range").select_option("3600")
    page.wait_for_function("!location.search.includes('to=')")
    page.close()


def test_a_node_has_one_colour_in_all_panels_of_a_page(whole, seen):
    viewer, end_s = whole
    opened = seen(1400, "light")
    opened.go(viewer, f"gpu-performance?to={end_s}")
    marks = opened.page.evaluate("""() => [...document.querySelectorAll('.legend .series:not(.usual)')].map(one => [
        one.querySelector('span').textContent, one.querySelector('i').style.background])""")
    nodes = {(name, colour) for name, colour in marks if name.startswith("ip-")}
    assert len(nodes) == len({name for name, _ in nodes}) == len({colour for _, colour in nodes}) == 4


def test_a_tile_leads_to_the_page_of_its_node(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"gpu-performance?to={end_s}").page
    page.locator("[data-panel=temperature-map] canvas").click(position={"x": 5, "y": 5})
    page.wait_for_selector("body[data-complete=node]", timeout=300_000)
    assert "node=ip-10-0-16-6" in page.url
    page.close()


def test_what_is_pointed_at_is_told_beside_the_pointer(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"gpu-peers?to={end_s}").page
    page.locator("[data-panel=clock-deviation] .chart").hover()
    told = page.locator("#tip").inner_text().splitlines()
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d", told[0])
    assert {one for one in told if one.startswith("ip-")} == {f"ip-10-0-16-{node}" for node in (6, 7, 8, 9)}
    page.locator("[data-panel=utilization-map] canvas").hover()
    assert page.locator("#tip").inner_text().splitlines()[-1].endswith("%")
    page.mouse.move(1, 1)
    assert page.locator("#tip").is_hidden()


def test_what_fires_is_told_above_the_panels_with_what_to_do(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"cluster-overview?to={end_s}").page
    summary = page.locator("#headline summary")
    assert summary.inner_text().startswith("4 alerts fire (3 critical, 1 warning): ")
    summary.click()
    assert "gpu-xid-fatal: ip-10-0-16-8, gpu 3" in page.locator("#headline").inner_text()


def test_an_alert_leads_to_its_panel_with_its_node_chosen(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"cluster-overview?to={end_s}").page
    page.locator("#headline summary").click()
    link = page.locator("#headline a", has_text="gpu-xid-fatal")
    href = link.get_attribute("href") or ""
    link.click()
    page.wait_for_selector("body[data-complete=node-status]", timeout=300_000)
    assert "node=ip-10-0-16-8" in page.url
    assert _is_in_view(page, "problems")
    assert href.startswith("node-status?")
    assert href.endswith("#problems")
    page.close()


def test_a_link_to_a_panel_opens_the_page_there(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"storage?to={end_s}#inodes").page
    assert _is_in_view(page, "inodes")
    assert page.evaluate("scrollY") > 0
    page.close()


def _is_in_view(page: Page, panel: str) -> bool:
    where = page.locator(f"[data-panel={panel}]").bounding_box()
    return where is not None and where["y"] >= 0 and where["y"] + where["height"] <= SIZES[1400]["height"]


def test_an_alert_that_fires_in_several_places_says_in_how_many(browser):
    of = {"alertname": "gpu-xid-fatal", "severity": "critical", "node_name": "n1"}
    source = FakeSource([({**of, "gpu": gpu}, 1.0) for gpu in ("3", "4")])
    with viewing(source) as viewer:
        summary = Opened(browser, viewer, "storage").page.locator("#headline summary").inner_text()
    assert summary == "1 alert fires in 2 places (1 critical): gpu-xid-fatal"


def test_what_a_row_is_about_is_readable_on_a_phone(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"cluster-overview?to={end_s}", viewport=SIZES[390]).page
    cells = page.locator("[data-panel=firing] td:first-child").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().height / parseFloat(getComputedStyle(one).lineHeight))"
    )
    assert cells
    assert max(cells) < 3  # two lines, and the room above and below


def test_a_choice_is_kept_in_the_address_and_by_links(whole, browser):
    viewer, end_s = whole
    opened = Opened(browser, viewer, f"gpu-performance?to={end_s}&range=900")
    page = opened.page
    page.select_option("#node", "ip-10-0-16-8")
    opened.complete()
    page.get_by_role("link", name="EFA network").first.click()
    opened.complete()
    assert page.url == f"{viewer.url}efa-network?node=ip-10-0-16-8&to={end_s}&range=900"
    assert "node=ip-10-0-16-8" in [request for request in opened.requests if "/data/" in request][-1]
    legend = page.locator("[data-panel=received] .legend button")
    names = [inner_text.split("\n")[0] for inner_text in legend.all_inner_texts()]
    assert names == ["ip-10-0-16-8", "median", "line rate of p5.48xlarge"]
    page.go_back()
    opened.complete()
    assert page.locator("h1").inner_text() == "GPU performance"
    page.reload()
    opened.complete()
    assert page.input_value("#node") == "ip-10-0-16-8"


def test_a_job_leads_to_its_page_and_from_there_to_its_worst_node(whole, browser):
    viewer, end_s = whole
    opened = Opened(browser, viewer, f"jobs?to={end_s}")
    page = opened.page
    page.locator("[data-panel=running-jobs] td a").first.click()
    opened.complete("=job")
    job = page.input_value("#job")
    assert f"job={job}" in page.url
    clock = page.locator("[data-panel=clock] .legend .series")
    assert "ip-10-0-16-8" in clock.first.inner_text()  # the GPU that is slow comes first
    clock.first.get_by_role("link").click()
    opened.complete("=node")
    assert page.input_value("#node") == "ip-10-0-16-8"
    assert not page.locator("#job").is_visible()
    assert page.locator("[data-panel=xids], [data-panel=jobs] td").first.inner_text() == job


def test_everything_can_be_reached_with_keys(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"efa-network?to={end_s}").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    button = page.locator("[data-panel=received] header button")
    button.focus()
    page.keyboard.press("Enter")
    assert page.locator("[data-panel=received] .about").is_visible()
    assert button.get_attribute("aria-expanded") == "true"
    assert "node:efa_received_bytes" in page.locator("[data-panel=received] .about code").first.inner_text()
    legend = page.locator("[data-panel=received] .legend button").first
    legend.focus()
    page.keyboard.press("Space")
    assert legend.get_attribute("aria-pressed") == "false"
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "false"
    drawing = page.locator("[data-panel=received] .chart").get_attribute("aria-label")
    assert drawing is not None
    assert drawing.startswith("Received by node. ip-10-0-16-6: ")


def test_a_table_is_sorted_by_what_is_asked_for(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"node-status?to={end_s}").page
    table = page.locator("[data-panel=nodes] table")
    heading = table.get_by_role("button").first
    for order in ("ascending", "descending"):
        heading.click()
        names = table.locator("tbody tr td:first-child").all_inner_texts()
        assert names == sorted(names, reverse=order == "descending")
        assert table.locator("th").first.get_attribute("aria-sort") == order


def test_day_and_night_change_what_is_drawn_already(whole, browser):
    viewer, end_s = whole
    page = Opened(browser, viewer, f"efa-network?to={end_s}", color_scheme="light").page
    picture = "document.querySelector('.chart canvas').toDataURL()"
    light = page.evaluate(picture)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(300)
    assert page.evaluate(picture) != light


def test_names_of_others_are_text_and_nothing_else(browser):
    names = (
        "node_name",
        "job",
        "alertname",
        "severity",
        "device",
        "mountpoint",
        "check",
        "user",
        "run",
        "kind",
        "text",
    )
    labels = dict.fromkeys(names, HOSTILE)
    source = FakeSource([(labels, 1.0)], targets=[{"queue": "a&b"}], label_names={"cluster": [HOSTILE, MARKUP]})
    with viewing(source) as viewer:
        opened = Opened(browser, viewer, "")
        page = opened.page
        page.locator("#headline summary").click()
        assert one_line(HOSTILE) in (page.locator("#headline").text_content() or "")
        assert MARKUP in page.locator("#cluster option").all_text_contents()
        named = set()
        for dashboard in dashboards():
            opened.choose(dashboard.id)
            for kind in sorted({DRAWN[panel.kind] for panel in dashboard.panels() if panel.kind in DRAWN}):
                page.locator(kind).first.hover(force=True)
            assert opened.complaints == []
            assert page.locator("img").count() == 0
            named |= {dashboard.id} if one_line(HOSTILE) in (page.locator("#panels").text_content() or "") else set()
        assert named == {dashboard.id for dashboard in dashboards()}


def test_events_begin_with_the_newest_and_what_is_of_the_whole_cluster_says_so_beside_a_chosen_node(browser):
    at = 1_795_286_880.0
    events = [("drain", at - 60), ("boot", at), ("alert", at - 120)]
    source = FakeSource([({"event": event, "node_name": "n", "text": MARKUP}, value) for event, value in events])
    with viewing(source) as viewer:
        page = Opened(browser, viewer, "cluster-overview").page
        rows = page.locator("[data-panel=events] tbody tr")
        assert [row.locator("td").nth(1).inner_text() for row in rows.all()] == ["boot", "drain", "alert"]
        assert rows.first.locator("td").last.inner_text() == MARKUP
        assert page.locator(".whole:visible").count() == 0
        page = Opened(browser, viewer, "cluster-overview?node=n").page
        told = {one.get_attribute("data-panel") for one in page.locator(".panel:has(.whole:visible)").all()}
        (overview,) = (one for one in dashboards() if one.id == "cluster-overview")
        assert told == {panel.id for panel in overview.panels() if not panel.is_of_chosen_nodes}


def test_a_panel_says_how_many_series_it_leaves_out_and_draws_what_is_no_number_as_a_gap(browser):
    many = [({"node_name": f"n{number}"}, float(number)) for number in range(8000)]
    with viewing(FakeSource([*many, ({"node_name": "ill"}, math.nan)])) as viewer:
        opened = Opened(browser, viewer, "host-system")
        assert opened.complaints == []
        note = opened.page.locator("[data-panel=load] .note")
        assert note.inner_text() == "20 of 8,001 series shown"
        assert opened.page.locator("[data-panel=load] .legend button").count() == 20


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        *(pytest.param(one, marks=pytest.mark.exhaustive) for one in (math.inf, -math.inf, 0.0, -5.0, 1e-9, 1e300)),
    ],
)
def test_no_value_breaks_a_panel(value, browser):
    with viewing(FakeSource([({"node_name": "n"}, value)])) as viewer:
        opened = Opened(browser, viewer, "")
        for dashboard in dashboards():
            opened.choose(dashboard.id)
            assert opened.complaints == []
            assert opened.page.locator(".panel").count() == len(list(dashboard.panels()))
            assert opened.page.locator(".panel.loading").count() == 0


def test_an_empty_panel_says_why(browser):
    with viewing(FakeSource()) as viewer:
        page = Opened(browser, viewer, "efa-network").page
        assert "the cluster has no EFA" in page.locator("[data-panel=received] .message").inner_text()
        page = Opened(browser, viewer, "host-system").page
        message = page.locator("[data-panel=load] .message").inner_text()
        assert message.split("\n")[0] == "No data."
        assert "trainyard monitor verify" in message
        assert "No alert rules are loaded" in page.locator("#headline").inner_text()


def test_a_prometheus_that_goes_down_and_comes_back_is_told_and_shown_again(browser):
    source = FakeSource([({"node_name": "n"}, 1.0)], fails=TrainyardError("nobody answers <b>", hint="start it"))
    with viewing(source) as viewer:
        opened = Opened(browser, viewer, "host-system")
        page = opened.page
        assert "nobody answers <b>" in page.locator("#headline").inner_text()
        assert "start it" in page.locator("[data-panel=load] .message.error").inner_text()
        source.fails = None
        page.get_by_role("button", name="Refresh now").click()
        opened.complete()
        assert page.locator(".message.error").count() == 0
        assert page.locator(".chart canvas").count() > 0
        assert opened.complaints == []


def test_a_viewer_that_was_stopped_is_told(browser):
    with viewing(FakeSource([({"node_name": "n"}, 1.0)])) as viewer:
        page = Opened(browser, viewer, "host-system").page
    page.get_by_role("button", name="Refresh now").click()
    page.locator("#trouble").wait_for(state="visible")
    assert "still running" in page.locator("#trouble").inner_text()
    assert page.locator(".chart canvas").count() > 0


def test_the_log_of_a_node_is_read_by_one_click_and_is_text_and_nothing_else(browser, account):
    plant(account)
    put(account, SLURMD, [(now_ms(account) - 60_000, f"NVRM: Xid (PCI:0000:53:00): 79 {HOSTILE}")])
    source = FakeSource(label_names={"cluster": ["llm"], "node_name": ["ip-10-0-1-7"]})
    with viewing(source, account) as viewer:
        opened = Opened(browser, viewer, "node?node=ip-10-0-1-7&range=21600")
        page = opened.page
        asked_before = [url for url in opened.requests if "/log/" in url]
        page.get_by_role("button", name="Read the last lines here").click()
        page.locator("#log tbody tr").nth(2).wait_for()
        page.locator("#logs").screenshot(path=PICTURES / "node-log.png")
        assert asked_before == []
        assert "The last 3 lines of this time" in page.locator("#log").inner_text()
        rows = page.locator("#log tbody tr").all_inner_texts()
        assert "ip-10-0-1-7 slurmd" in rows[0]
        assert rows[-1].endswith(one_line(HOSTILE))
        assert page.locator("#log img").count() == 0
        assert opened.complaints == []
        # Lines of another time are not those of this one.
        page.locator("#range").select_option("900")
        opened.complete()
        assert page.locator("#log tbody").count() == 0
        page.locator("nav [data-dashboard=storage]").click()
        opened.complete("=storage")
        assert page.locator("#read-log").is_hidden()


def test_why_no_log_can_be_read_is_told_with_the_command_as_code(browser):
    source = FakeSource(label_names={"cluster": ["llm"], "node_name": ["ip-10-0-1-7"]})
    with viewing(source) as viewer:
        page = Opened(browser, viewer, "node?node=ip-10-0-1-7").page
        page.get_by_role("button", name="Read the last lines here").click()
        page.locator("#log .error").wait_for()
        assert "in which region" in page.locator("#log").inner_text()
        assert page.locator("#log code").all_inner_texts() == ["trainyard monitor view"]


def test_what_stands_between_backticks_is_code(browser):
    alerts_told = [alert for alert in alerts() if "`" in alert.remedy[0]]
    assert alerts_told
    of = [({"alertname": alert.id, "severity": alert.severity, "node_name": "n1"}, 1.0) for alert in alerts_told]
    with viewing(FakeSource(of)) as viewer:
        page = Opened(browser, viewer, "storage").page
        page.locator("#headline summary").click()
        page.locator("#headline").screenshot(path=PICTURES / "headline-code.png")
        assert "`" not in page.locator("#headline").inner_text()
        told = page.locator("#headline code").all_inner_texts()
        assert sorted(told) == sorted(code for alert in alerts_told for code in alert.remedy[0].split("`")[1::2])
    with viewing(FakeSource(groups=[])) as viewer:
        page = Opened(browser, viewer, "host-system").page
        assert page.locator("#headline code").inner_text() == "trainyard monitor alerts"
        assert page.locator("[data-panel=load] code").inner_text() == "trainyard monitor verify"


def test_no_page_shows_a_backtick(browser):
    with viewing(FakeSource()) as viewer:
        opened = Opened(browser, viewer, "")
        for dashboard in dashboards():
            opened.choose(dashboard.id)
            for button in opened.page.locator("header button[aria-expanded]").all():
                button.click()
            # Queries of Prometheus stand as they are.
            opened.page.evaluate("document.querySelectorAll('.about > code').forEach((one) => one.remove())")
            assert "`" not in opened.page.locator("body").inner_text()
