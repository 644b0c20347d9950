"""Where Prometheus on the head node sends what it scrapes, and how much of it at a time."""

from __future__ import annotations

from typing import Any

from trainyard.monitoring.node_discovery import through_proxy
from trainyard.spec.cluster import Spec


def amp_write_url(endpoint: str) -> str:
    """Return where a workspace takes samples. ``endpoint`` is the stack's output AMPPrometheusEndpoint.

    https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference-RemoteWrite.html
    """
    return f"{endpoint.rstrip('/')}/api/v1/remote_write"


def instance_write_url(private_ip: str) -> str:
    """Return where the instance takes them. ``private_ip`` is the stack's output MonitoringInstancePrivateIp.

    Prometheus there has to be started with --web.enable-remote-write-receiver.
    https://prometheus.io/docs/prometheus/latest/querying/api/#remote-write-receiver
    """
    return f"http://{private_ip}:9090/api/v1/write"


def remote_write(spec: Spec, url: str) -> dict[str, Any]:
    """Return where samples go. Amazon Managed Prometheus answers 403 to what is not signed.

    As in discovery, the SDK's own chain finds the credentials, and renews them. The instance is in the same network, so
    no proxy leads to it.
    """
    away = {} if spec.monitoring.mode == "self-hosting" else {"sigv4": {"region": spec.region}, **through_proxy(spec)}
    return {"name": "keeper", "url": url, **away, "queue_config": queue_config()}


def queue_config() -> dict[str, Any]:
    """Return the limits. What each means: https://prometheus.io/docs/practices/remote_write/."""
    return {
        # One request for each thousand samples, not for each 500 of Prometheus 2: fewer to sign.
        "max_samples_per_send": 1000,
        # Three to ten times that, says the page above.
        "capacity": 5000,
        # A workspace takes 70,000 samples a second where its quota was not raised. A request of 0.1 s makes that seven
        # shards; the rest catches up after a failure without the 200 connections of the default.
        # https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-APIReference-RemoteWrite.html
        "max_shards": 20,
        # Above its quota a workspace answers 429, and without this those samples are lost.
        # https://docs.aws.amazon.com/prometheus/latest/userguide/AMP_quotas.html
        "retry_on_http_429": True,
        # From a second on, where the default asks a workspace that refuses again after 30 ms.
        "min_backoff": "1s",
        "max_backoff": "30s",
    }
