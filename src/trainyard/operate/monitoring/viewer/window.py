"""The time that a dashboard shows, and how finely."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S

MOST_POINTS = 300
"""Of a series: about one for each pixel of a phone, and more than the eye tells apart."""
# Steps that people read off a clock, and that requests a moment apart have in common.
_STEPS_S = (30, 60, 120, 180, 240, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400)
_DAY_S = 86_400


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
