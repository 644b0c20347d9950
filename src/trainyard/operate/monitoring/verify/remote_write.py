"""Whether the head node's samples are taken: what is refused, sent again, or late, as its own Prometheus tells."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import duration

_LATE_S = 120
# https://github.com/prometheus/prometheus/blob/main/storage/remote/queue_manager.go
_FAILED = "prometheus_remote_storage_samples_failed_total"
_RETRIED = "prometheus_remote_storage_samples_retried_total"
# The second one replaces the first, which is deprecated.
_TAKEN_IN = (
    "prometheus_remote_storage_highest_timestamp_in_seconds",
    "prometheus_remote_storage_queue_highest_timestamp_seconds",
)
_SENT = "prometheus_remote_storage_queue_highest_sent_timestamp_seconds"


def remote_write(situation: Situation) -> Iterator[Finding]:
    """Yield what the way out of the head node suffers from."""
    url = situation.keeper.url
    for metric, id_, words in (
        (_FAILED, "remote-write-refused", "were refused for good and are lost"),
        (_RETRIED, "samples-sent-again", "had to be sent again"),
    ):
        count = situation.values(f"sum(increase({metric}{{{situation.cluster}}}[10m])) > 0")
        if count:
            yield finding(id_, f"{count[0].value:,.0f} samples of the last ten minutes {words} on their way to {url}")
    yield from _late(situation)


def _late(situation: Situation) -> Iterator[Finding]:
    of = situation.cluster
    taken_in = " or ".join(f"{name}{{{of}}}" for name in _TAKEN_IN)
    behind = situation.values(f"max({taken_in}) - max({_SENT}{{{of}}}) > {_LATE_S}")
    if behind:
        yield finding("remote-write-behind", f"what arrives is {duration(behind[0].value)} late")
