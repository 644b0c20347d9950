"""Whether the head node's credentials are renewed: where they end, discovery finds nothing and nothing is taken."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import duration

# The metric is 0 where there have never been any.
_LONG_S = 10 * 365 * 86400
_EXPIRE = "trainyard_credentials_expire_timestamp_seconds"
# All kinds of discovery count into one; in versions long ago, EC2's had its own.
# https://github.com/prometheus/prometheus/blob/main/discovery/metrics_refresh.go
_REFRESH = ("prometheus_sd_refresh_failures_total", "prometheus_sd_ec2_refresh_failures_total")


def credentials(situation: Situation) -> Iterator[Finding]:
    """Yield credentials that have ended, and questions to EC2 that failed."""
    ended = situation.values(f"time() - max({_EXPIRE}{{{situation.cluster}}}) > 0")
    if ended:
        ago_s = ended[0].value
        message = "the head node has never had credentials"
        if ago_s < _LONG_S:
            message = f"the head node's credentials ended {duration(ago_s)} ago"
        yield finding("credentials-stale", message)
    failed = " or ".join(f"sum(increase({name}{{{situation.cluster}}}[10m])) > 0" for name in _REFRESH)
    count = situation.values(failed)
    if count:
        message = f"{count[0].value:.0f} questions to EC2 for nodes failed within ten minutes"
        yield finding("discovery-failing", message)
