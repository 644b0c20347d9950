"""What is looked at: clusters, queues and nodes, which queries name by variables, and a window of time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import ceil, floor

from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.operate.monitoring.viewer.source import MetricsSource

# What has a meaning of its own in RE2: https://github.com/google/re2/wiki/Syntax
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")
_VARIABLE = re.compile(r"\$(cluster|queue|node|user|job|__rate_interval|__range)\b")
_LABELS = {"cluster": "cluster", "user": "user", "job": "jobid"}
_TARGETS = 'up{cluster=~"$cluster"}'
_JOBS = 'node:job:max{cluster=~"$cluster", partition=~"$queue", user=~"$user"}'
_ALL = ".*"
_MOST_JOBS = 1000
"""How many can be chosen of: a week may have had a hundred thousand."""
LONGEST_VALUE = 200
"""Of what is chosen, in characters."""
MOST_POINTS = 300
"""Of a series: about one for each pixel of a phone, and more than the eye tells apart."""
# Steps that people read off a clock, and that requests a moment apart have in common.
_STEPS_S = (30, 60, 120, 180, 240, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)
_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Selection:
    """What is looked at. Empty: all."""

    cluster: tuple[str, ...] = ()
    queue: tuple[str, ...] = ()
    node: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    job: tuple[str, ...] = ()


def fill_variables(expr: str, selection: Selection, window: Window) -> str:
    """Return a query of a dashboard as Prometheus takes it."""
    values = {
        "cluster": _pattern(selection.cluster),
        "queue": _pattern(selection.queue),
        "node": _pattern(selection.node),
        "user": _pattern(selection.user),
        "job": _pattern(selection.job),
        "__rate_interval": f"{window.rate_interval_s}s",
        "__range": f"{window.end_s - window.start_s}s",
    }
    return _VARIABLE.sub(lambda match: values[match[1]], expr)


def variable_choices(api: MetricsSource, selection: Selection, window: Window) -> dict[str, list[str]]:
    """Return what can be chosen of: queues of the chosen cluster, nodes and users of the chosen queue, a user's jobs.

    What cannot be read cannot be chosen: nothing of ours has such a name.
    `up` is there for everything that is scraped, and one series of each is quickly looked through. Nodes are not asked
    for as values of their label: to Prometheus, each of a thousand is a search of its own.
    """
    targets = api.series(
        [fill_variables(_TARGETS, Selection(cluster=selection.cluster), window)], window.start_s, window.end_s
    )
    queue_of = {target.get("node_name", ""): target.get("queue", "") for target in targets}
    of_queue = [node for node, queue in queue_of.items() if not selection.queue or queue in selection.queue]
    wider = {
        "cluster": (_TARGETS, Selection()),
        "user": (_JOBS, replace(selection, user=())),
        "job": (_JOBS, selection),
    }
    choices = {
        name: _readable(
            api.label_values(_LABELS[name], [fill_variables(series, chosen, window)], window.start_s, window.end_s)
        )
        for name, (series, chosen) in wider.items()
    }
    return {
        **choices,
        "queue": _readable(set(queue_of.values())),
        "node": sorted(_readable(of_queue), key=lambda node: not queue_of[node]),  # head and login nodes last
        "job": choices["job"][: -_MOST_JOBS - 1 : -1],  # the newest first
    }


def _readable(values: Iterable[str]) -> list[str]:
    return sorted((value for value in values if value.isprintable() and 0 < len(value) <= LONGEST_VALUE), key=natural)


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return what sorts node-2 before node-10."""
    parts = re.split(r"([0-9]{1,18})", text)
    return [(0, int(part), "") if part.isdigit() and part.isascii() else (1, 0, part) for part in parts]


def _pattern(values: tuple[str, ...]) -> str:
    """Return a regular expression, inside of a string of PromQL in double quotes, that matches these values alone."""
    if not values:
        return _ALL
    pattern = "|".join(_SPECIAL.sub(lambda match: f"\\{match[0]}", value) for value in values)
    return pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


@dataclass(frozen=True, slots=True)
class Window:
    """From when to when, in seconds since 1970, and the step between points."""

    start_s: int
    end_s: int
    step_s: int

    @property
    def rate_interval_s(self) -> int:
        """Return the range of rates, ``$__rate_interval``, as Grafana calculates it.

        https://grafana.com/docs/grafana/latest/datasources/prometheus/template-variables/#use-__rate_interval
        """
        return max(self.step_s + SCRAPE_INTERVAL_S, 4 * SCRAPE_INTERVAL_S)

    @property
    def points(self) -> int:
        """Return how many points a series has that was always there."""
        return (self.end_s - self.start_s) // self.step_s + 1

    def coarser(self, most_points: float) -> Window:
        """Return the same time with fewer points, where these are too many."""
        return self if most_points >= self.points else window(self.start_s, self.end_s, most_points)

    def at_least(self, step_s: int, fewest_points: int) -> Window:
        """Return the same time with a longer step, where that leaves enough points."""
        length_s = self.end_s - self.start_s
        if step_s <= self.step_s or length_s // step_s + 1 < fewest_points:
            return self
        return Window(self.end_s - length_s // step_s * step_s, self.end_s, step_s)


def window(start_s: float, end_s: float, most_points: float = MOST_POINTS) -> Window:
    """Return the window, with the finest step that gives no more points.

    It ends with a whole scrape interval, so that everybody who asks within one asks the same, and starts a whole
    number of steps before, so that the newest point is one of those that are drawn.
    """
    end = floor(end_s / SCRAPE_INTERVAL_S) * SCRAPE_INTERVAL_S
    length = max(end - floor(start_s), SCRAPE_INTERVAL_S)
    days = ceil(length / (most_points - 1) / _DAY_S) * _DAY_S if most_points > 1 else length
    step = next((step_s for step_s in _STEPS_S if length / step_s <= most_points - 1), max(days, _DAY_S))
    return Window(end - length // step * step, end, step)
