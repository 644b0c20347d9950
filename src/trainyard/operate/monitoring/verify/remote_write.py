"""Whether samples get from the cluster to the workspace: the right to send, credentials, refusals and delays."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.counts import count_text
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
# The metric is 0 where there have never been any.
_LONG_S = 10 * 365 * 86400
_EXPIRE = "trainyard_credentials_expire_timestamp_seconds"
# All kinds of discovery count into one; in versions long ago, EC2's had its own.
# https://github.com/prometheus/prometheus/blob/main/discovery/metrics_refresh.go
_REFRESH = ("prometheus_sd_refresh_failures_total", "prometheus_sd_ec2_refresh_failures_total")


def remote_write(situation: Situation) -> Iterator[Finding]:
    """Yield what the way out of the head node suffers from."""
    url = situation.keeper.url
    for metric, id_, words in (
        (_FAILED, "remote-write-refused", "got lost, refused for good,"),
        (_RETRIED, "samples-sent-again", "took more than one attempt"),
    ):
        count = situation.values(f"sum(increase({metric}{{{situation.cluster}}}[10m])) > 0")
        if count:
            samples = count_text(round(count[0].value), "sample")
            yield finding(id_, f"{samples} of the last ten minutes {words} on the way to {url}")
    yield from _late(situation)


def rights(situation: Situation) -> Iterator[Finding]:
    """Yield that the head node, or the agent in a cluster, has no role that may."""
    account = situation.account
    workspace = None if account is None else account.outputs.get("AMPWorkspaceId")
    if account is not None and workspace is not None:
        refused = account.discovery.refused_senders(account, workspace)
        yield from (finding("remote-write-not-allowed", message) for message in refused)


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
        message = f"{count_text(round(count[0].value), 'question')} to EC2 for nodes failed within ten minutes"
        yield finding("discovery-failing", message)


def _late(situation: Situation) -> Iterator[Finding]:
    of = situation.cluster
    taken_in = " or ".join(f"{name}{{{of}}}" for name in _TAKEN_IN)
    behind = situation.values(f"max({taken_in}) - max({_SENT}{{{of}}}) > {_LATE_S}")
    if behind:
        yield finding("remote-write-behind", f"what arrives is {duration(behind[0].value)} late")
