"""The life of a cluster with everything that goes wrong: each fault is told in time and by name, no other is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser import chromium
from tests.monitoring.life.cluster import Fault, Life
from tests.monitoring.life.lived import Lived, lived
from tests.monitoring.prometheus import PROMETHEUS_3
from tests.monitoring.promql import named_metrics
from tests.operate.monitoring.viewer.above_the_fold import SeenText, stands_out, texts_above_the_fold
from tests.operate.monitoring.viewer.viewing import viewing
from trainyard.monitoring.dashboard import Dashboard, dashboards
from trainyard.operate.monitoring.viewer.selection import Selection, Window, fill_variables

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
ROOT = Path(__file__).parents[2]
MONITORING = ROOT / "src" / "trainyard" / "monitoring"
PICTURES = ROOT / ".make" / "life"
FAULTS = Life(24).faults
# Nothing has gone wrong yet. Some node is the first in a panel at each moment, which chance alone chooses.
CALM_M = (5, 7, 9)
# Much has.
LOOK_M = 85


SIZES = (
    pytest.param((24, "prometheus"), id="24"),
    pytest.param((24, PROMETHEUS_3), id="24-prometheus-3", marks=pytest.mark.exhaustive),
    pytest.param((128, "prometheus"), id="128", marks=(pytest.mark.exhaustive, pytest.mark.long)),
    # By the version that clusters have: it takes half of the time.
    pytest.param((1000, PROMETHEUS_3), id="1000", marks=(pytest.mark.exhaustive, pytest.mark.long)),
)


@pytest.fixture(scope="module", params=SIZES)
def life(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    size, named = request.param
    with lived(tmp_path_factory.mktemp("life"), Life(size), named) as started:
        yield started


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)
def test_a_fault_is_told_in_time_with_the_names_of_what_is_ill(life: Lived, fault: Fault):
    assert life.late(fault) == {}


def test_no_other_alert_fires(life: Lived):
    assert life.unexpected() == []


@pytest.fixture(scope="module")
def page(life: Lived) -> Iterator[Callable[[str, float], list[SeenText]]]:
    """Return what reads a page at a minute of the life, as it opens. Pictures are kept in .make/life."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with viewing(life.api) as viewer, chromium() as browser:
        window = browser.new_page(viewport={"width": 1400, "height": 900})

        def read(id_: str, minute: float) -> list[SeenText]:
            window.goto(f"{viewer.url}{id_}?to={life.life.at(minute):.0f}")
            window.wait_for_selector("body[data-complete]", timeout=300_000)
            window.screenshot(path=PICTURES / f"{life.life.size}-{id_}-{minute:.0f}.png")
            return texts_above_the_fold(window)

        yield cache(read)


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.page], ids=lambda fault: fault.id)
def test_the_page_where_one_would_look_shows_what_is_ill_above_the_fold(
    life: Lived, page: Callable[[str, float], list[SeenText]], fault: Fault
):
    seen = page(fault.page, min(fault.to_m - 1, fault.from_m + max(one.within_m for one in fault.alerts)))
    calm = [page(fault.page, minute) for minute in CALM_M]
    hosts = life.hosts
    for text in fault.texts:
        panel, _, number = text.partition(": ")
        if number:
            assert SeenText(panel, number) in set(seen).difference(*calm), seen
        else:
            names, all_names = {text, hosts.get(text, text)}, {*hosts, *hosts.values()}
            assert any(stands_out(names, seen, moment, all_names) for moment in calm), seen


def grafana_queries() -> list[str]:
    """Return the queries of all panels, as Grafana's JSON has them."""
    documents = json.loads((MONITORING / "grafana.json").read_text(encoding="utf-8"))
    return sorted(set(_exprs(documents)))


def _exprs(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from [part["expr"]] if isinstance(part.get("expr"), str) else []
        part = list(part.values())
    for inner in part if isinstance(part, list) else ():
        yield from _exprs(inner)


def test_every_query_of_grafana_is_answered(life: Lived):
    variables = {"$__range": f"{life.life.minutes}m", "$__interval": "5m"}
    for expr in grafana_queries():
        filled = asked(expr, life)
        for variable, value in variables.items():
            filled = filled.replace(variable, value)
        life.api.query_range(filled, life.life.start_s + 300, life.life.end_s, 300)  # raises where there is an error


@pytest.mark.parametrize("dashboard", dashboards(), ids=lambda dashboard: dashboard.id)
def test_no_panel_draws_nothing_where_there_are_data(life: Lived, dashboard: Dashboard):
    there = set(life.api.label_values("__name__"))
    always = [panel for panel in dashboard.panels() if not panel.may_be_empty]
    at_s = life.life.at(LOOK_M)
    asking = {panel.id: [one.expr for one in panel.queries if named_metrics(one.expr) <= there] for panel in always}
    answered = {id_: any(life.api.query(asked(expr, life), at_s) for expr in exprs) for id_, exprs in asking.items()}
    assert [id_ for id_, exprs in asking.items() if exprs and not answered[id_]] == []


def asked(expr: str, life: Lived) -> str:
    """Return a query with its variables filled in so that it asks for everything."""
    return fill_variables(expr, Selection(), Window(life.life.start_s, life.life.end_s, 300))
