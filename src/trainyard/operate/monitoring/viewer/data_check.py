"""Which dashboards have data, asked once: for scripts, and where there is no browser."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from trainyard.catalog.instances import find
from trainyard.errors import TrainyardError
from trainyard.monitoring.dashboard import Dashboard, Panel, dashboards
from trainyard.operate.monitoring.viewer.answers import THREADS
from trainyard.operate.monitoring.viewer.panel_data import has_data
from trainyard.operate.monitoring.viewer.panel_queries import PanelQueries
from trainyard.operate.monitoring.viewer.selection import Selection, Window, window
from trainyard.operate.monitoring.viewer.source import MetricsSource

_HOUR_S = 3600
_DATA, _RIGHTLY, _EMPTY = "data", "rightly empty", "empty"
# Only ParallelCluster has head nodes, and with them the rest.
_OF_HEAD_NODES = {"head-node", "slurm", "mounts", "nfs"}
_OF_ACCELERATORS = {"nvidia": {"gpu", "gpm", "nvlink"}, "aws": {"neuron"}}


@dataclass(frozen=True, slots=True)
class DashboardData:
    """The panels of a dashboard, by their ids."""

    id: str
    title: str
    with_data: tuple[str, ...]
    rightly_empty: tuple[str, ...]
    """Those that only show something where something is wrong, or where the cluster has it."""
    empty: tuple[str, ...]
    failed: dict[str, str]
    """Why Prometheus gave no answer."""


def dashboards_data(api: MetricsSource) -> tuple[DashboardData, ...]:
    """Return what each dashboard has now. Raises TrainyardError where nobody answers at all."""
    api.expect_ready()
    now = window(time.time() - _HOUR_S, time.time())
    asking, lacking = PanelQueries(api), _lacking(api)

    def state(dashboard: Dashboard, panel: Panel) -> str:
        panel_state = _state(asking, panel, now)
        return (
            _RIGHTLY
            if panel_state == _EMPTY and lacking.intersection((*dashboard.needs, *panel.needs))
            else panel_state
        )

    with ThreadPoolExecutor(THREADS) as pool:
        looked = {dashboard.id: pool.map(partial(state, dashboard), dashboard.panels()) for dashboard in dashboards()}
        return tuple(_of(dashboard, list(looked[dashboard.id])) for dashboard in dashboards())


def _lacking(api: MetricsSource) -> set[str]:
    """Return the needs that no cluster there meets: of a head node, as on EKS, or of devices that no type of node has.

    Nodes of a type that the catalog does not know may have anything.
    """
    samples = api.query('count by (node_type, instance_type) (up{node_type!=""})')
    types = {sample.labels.get("node_type") for sample in samples}
    lacking = _OF_HEAD_NODES if "Compute" in types and "HeadNode" not in types else set()
    known = [find(name) for sample in samples if (name := sample.labels.get("instance_type"))]
    if not known or None in known:
        return lacking
    vendors = {type_.accelerators.vendor for type_ in known if type_ is not None and type_.accelerators is not None}
    return lacking.union(*(needs for vendor, needs in _OF_ACCELERATORS.items() if vendor not in vendors))


def _state(asking: PanelQueries, panel: Panel, now: Window) -> str:
    try:
        if has_data(asking, panel, Selection(), now):
            return _DATA
    except TrainyardError as error:
        return error.problem
    return _RIGHTLY if panel.may_be_empty else _EMPTY


def _of(dashboard: Dashboard, states: list[str]) -> DashboardData:
    by_panel = {panel.id: state for panel, state in zip(dashboard.panels(), states, strict=True)}
    with_data, rightly, empty = (
        tuple(panel for panel, state in by_panel.items() if state == state_asked)
        for state_asked in (_DATA, _RIGHTLY, _EMPTY)
    )
    failed = {panel: state for panel, state in by_panel.items() if state not in {_DATA, _RIGHTLY, _EMPTY}}
    return DashboardData(dashboard.id, dashboard.title, with_data, rightly, empty, failed)
