"""The life of a cluster in which nothing is wrong: no alert fires, and no panel shows a colour that alarms."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.monitoring.life.cluster import Life
from tests.monitoring.life.lived import Lived, lived
from trainyard.monitoring.dashboard import Panel, dashboards
from trainyard.operate.monitoring.viewer.selection import Selection, Window, fill_variables

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
ALARMING = {"orange", "red"}
# Longer than a checkpoint, in which a job rightly computes nothing for three minutes.
STEP_S = 300
# The life has no prices: how many instances are of none is what this panel says.
OF_PRICES = "money/unknown"
LIMITED = {
    f"{dashboard.id}/{panel.id}": panel
    for dashboard in dashboards()
    for panel in dashboard.panels()
    if ALARMING & {step.colour for step in panel.thresholds} and f"{dashboard.id}/{panel.id}" != OF_PRICES
}


@pytest.fixture(
    scope="module", params=[pytest.param(35, id="35m"), pytest.param(1440, id="1d", marks=pytest.mark.exhaustive)]
)
def healthy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lived]:
    """Write so many minutes; 35 are more than what any alert waits for."""
    with lived(tmp_path_factory.mktemp("healthy"), Life(24, healthy=True, length_m=request.param)) as started:
        yield started


def test_no_alert_fires(healthy: Lived):
    assert healthy.firings == ()


def test_no_panel_stays_beyond_a_threshold(healthy: Lived):
    crossed = {id_: values for id_, panel in LIMITED.items() if (values := alarming(healthy, panel))}
    assert crossed == {}


def alarming(healthy: Lived, panel: Panel) -> list[tuple[dict[str, str], float]]:
    """Return a value with its labels of each series of a panel that kept a colour that alarms from point to point."""
    life = healthy.life
    # What looks back by minutes has something to see.
    window = Window(life.start_s + STEP_S, life.end_s - 1, STEP_S)
    expr = fill_variables(panel.queries[0].expr, Selection(), window)
    found = healthy.api.query_range(expr, window.start_s, window.end_s, STEP_S)
    kept = ((series.labels, [value for _, value in lasting(panel, series.points)]) for series in found)
    return [(dict(labels), values[0]) for labels, values in kept if values]


def lasting(panel: Panel, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the points that have a colour that alarms, as the point before them has."""
    bad = [(at_s, value) for at_s, value in points if colour(panel, value) in ALARMING]
    return [after for before, after in pairwise(bad) if after[0] - before[0] == STEP_S]


def colour(panel: Panel, value: float) -> str:
    """Return the colour of a value: that of the last step that it reaches, and below them all that of the first."""
    reached = [step.colour for step in panel.thresholds if step.value <= value]
    return reached[-1] if reached else panel.thresholds[0].colour
