"""Whether samples arrive at all, and without gaps: those of Prometheus itself do as long as it runs and sends."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import duration

# A query finds no sample that is older than five minutes, so that it need not say so.
# https://prometheus.io/docs/prometheus/latest/querying/basics/#staleness
_LOOKED_BACK = "1d"
_WATCHED_MINUTES = 30
_ENOUGH = 0.9


def arrival(situation: Situation) -> Iterator[Finding]:
    """Yield that nothing has arrived for five minutes, or what is missing of the last half hour."""
    newest = situation.values(f"max(timestamp({_own(situation)}))")
    if not newest:
        yield _nothing(situation)
        return
    situation.looked_at["minutes of samples"] += _WATCHED_MINUTES
    yield from _gaps(situation)


def _nothing(situation: Situation) -> Finding:
    last = situation.values(f"max(max_over_time(timestamp({_own(situation)})[{_LOOKED_BACK}:5m]))")
    name = situation.spec.name
    if not last:
        message = f"no sample of {name} has arrived at {situation.keeper.url} within a day"
    else:
        message = f"the last sample of {name} arrived {duration(situation.now - last[0].value)} ago"
    return finding("no-recent-samples", message)


def _own(situation: Situation) -> str:
    """Return the series that is there as long as the head node's Prometheus is; an instance scrapes itself as well."""
    return f'up{{job="prometheus", {situation.cluster}}}'


def _gaps(situation: Situation) -> Iterator[Finding]:
    """Yield where Prometheus has run for half an hour and less of it has arrived. One that has just started is left."""
    own = _own(situation)
    minutes = f"{_WATCHED_MINUTES}m"
    there = situation.values(f"max(count_over_time({own}[{minutes}])) and max({own} offset {minutes})")
    wanted = _WATCHED_MINUTES * 60 // SCRAPE_INTERVAL_S
    if there and there[0].value < wanted * _ENOUGH:
        count = f"{there[0].value:.0f} of {wanted}"
        message = f"of the last {_WATCHED_MINUTES} minutes, {count} samples of a series arrived"
        yield finding("samples-missing", message)
