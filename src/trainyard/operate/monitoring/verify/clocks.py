"""Whether the clocks of nodes agree with the head node's, and somebody keeps them right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trainyard.edge.prometheus_api import Sample
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import listed

# A scrape takes up to a second on a busy node, and what it says of the time is as old.
_MOST_S = 2
# The kernel's own word for a clock that nobody has set for long: the alert NodeClockNotSynchronising of
# https://github.com/prometheus/node_exporter/blob/master/docs/node-mixin/alerts/alerts.libsonnet
_UNSET_S = 16


def clocks(situation: Situation) -> Iterator[Finding]:
    """Yield the nodes whose clock is wrong, and those whose clock nobody keeps right."""
    of = situation.cluster
    apart = situation.values(f"abs(node_time_seconds{{{of}}} - timestamp(node_time_seconds{{{of}}})) > {_MOST_S}")
    if apart:
        worst = max(sample.value for sample in apart)
        message = f"clocks differ from the head node's by up to {worst:.0f} s: {_listed(apart)}"
        yield finding("clock-wrong", message)
    unset = situation.values(
        f"node_timex_sync_status{{{of}}} == 0 "
        f"and on (cluster, instance) node_timex_maxerror_seconds{{{of}}} >= {_UNSET_S}"
    )
    if unset:
        yield finding("clock-not-kept", f"nothing keeps the clock of {_listed(unset)} right")


def _listed(samples: Sequence[Sample]) -> str:
    return listed(sorted(sample.labels.get("node_name") or sample.labels.get("instance", "?") for sample in samples))
