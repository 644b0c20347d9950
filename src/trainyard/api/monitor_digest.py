"""What a cluster did in the last days: asked of its metrics, as values, page, text and mail."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from trainyard.api.cluster_reference import cluster_reference
from trainyard.edge.aws.sns import publish
from trainyard.edge.new_file import write_new_file
from trainyard.errors import InputError
from trainyard.operate.monitoring.digest.digest_page import digest_page
from trainyard.operate.monitoring.digest.digest_text import digest_text, subject
from trainyard.operate.monitoring.digest.digest_values import DigestPeriod, digest_values
from trainyard.operate.monitoring.viewer.metrics_source import WORKSPACE, alert_topic, keeper_at, keeper_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trainyard.edge.aws.account import Account
    from trainyard.operate.monitoring.viewer.source import MetricsSource

__all__ = ["DigestSource", "digest_source", "digest_text", "read_digest", "send_digest", "write_digest"]


class DigestSource(NamedTuple):
    """Whose metrics a digest is made of."""

    metrics: MetricsSource
    cluster: str | None
    region: str | None
    account: Account | None
    """None where nothing but the address of a Prometheus is known."""


def digest_source(
    name: str | None, prometheus: str | None, *, region: str | None = None, profile: str | None = None
) -> DigestSource:
    """Return the metrics of a cluster, by its name or spec file, by the address of a Prometheus, or by both.

    Raises InputError where neither is given or nothing says which region, TrainyardError where there are no metrics.
    """
    if name is None and prometheus is None:
        hint = "`trainyard monitor digest llm-p5 --region us-east-2`, or --prometheus http://localhost:9090"
        raise InputError("NAME or --prometheus has to be given", where="monitor digest", hint=hint)
    if name is None:
        return DigestSource(keeper_at(prometheus or "", region, profile), None, region, None)
    cluster = cluster_reference(name, region, profile)
    where = cluster.account
    if prometheus is None:
        return DigestSource(keeper_of(cluster.name, where), cluster.name, where.region, where)
    of_amazon = WORKSPACE in prometheus  # no other is asked with the rights of the profile
    keeper = keeper_at(prometheus, where.region if of_amazon else None, profile if of_amazon else None)
    return DigestSource(keeper, cluster.name, where.region, where)


def read_digest(source: DigestSource, days: int, end_s: float | None = None) -> dict[str, Any]:
    """Return the values of the digest of so many days. Raises TrainyardError where nothing can be asked."""
    period = DigestPeriod(days, time.time() if end_s is None else end_s)
    return digest_values(source.metrics, source.cluster, source.region, period)


def write_digest(values: Mapping[str, Any], file: Path, *, force: bool = False) -> None:
    """Write the page. Raises InputError where the file exists and is not to be replaced."""
    write_new_file(file, digest_page(values), force=force)


def send_digest(values: Mapping[str, Any], source: DigestSource) -> str:
    """Send the digest as text to whoever gets the cluster's alerts, and return the topic.

    Raises InputError where no cluster is named, TrainyardError where it has no topic or it may not be used.
    """
    if source.account is None or source.cluster is None:
        hint = "give NAME, whose stack has the topic of its alerts"
        raise InputError("nobody to send it to is known", where="--send", hint=hint)
    topic = alert_topic(source.cluster, source.account)
    publish(source.account, topic, subject(values), digest_text(values))
    return topic
