"""prometheus.yml of the head node, which scrapes the cluster, and of the instance that keeps it in self-hosting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trainyard.monitoring.exporters import Exporter, exporters
from trainyard.monitoring.kept_series import kept_series
from trainyard.monitoring.node_discovery import discovery, target_relabelling, through_proxy
from trainyard.spec.cluster import Spec

# As often as dcgm-exporter and the reading of Slurm have anything new; half as often would halve the price of AMP.
# https://docs.nvidia.com/datacenter/dcgm/latest/reference/command-line-reference/dcgm-exporter.html
SCRAPE_INTERVAL_S = 30
# Prometheus' own default, with which the times of alerts are tested. Half of it would cost twice as much.
# https://prometheus.io/docs/prometheus/latest/configuration/configuration/
EVALUATION_INTERVAL_S = 60
# A node whose CPUs are all busy answers late, and the Slurm figures of 1,000 nodes are large. It has to be below the
# interval: https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config
SCRAPE_TIMEOUT_S = 20
_ALERTMANAGER = "localhost:9093"


def runs_as_agent(spec: Spec) -> bool:
    """Return whether Prometheus on the head node only sends: Amazon Managed Prometheus keeps, queries and alerts.

    It is started with --enable-feature=agent in version 2, and with --agent from 3 on.
    https://prometheus.io/docs/prometheus/latest/migration/
    """
    return spec.monitoring.mode in {"amp-only", "amp+amg"}


def head_node_config(spec: Spec, write_url: str) -> dict[str, Any] | None:
    """Return what the head node scrapes and where it sends that, or None where nothing is measured.

    ``write_url`` is what a deployment knows: `amp_write_url` or `instance_write_url` of its outputs.
    """
    all_exporters = exporters(spec)
    if not all_exporters:
        return None
    return {
        "global": _global(spec),
        "scrape_configs": [_own_job(spec), *(_job(spec, exporter) for exporter in all_exporters)],
        "remote_write": [remote_write(spec, write_url)],
    }


def instance_config(spec: Spec, rule_files: Sequence[str] = ()) -> dict[str, Any] | None:
    """Return what the instance of mode self-hosting scrapes, which is itself, or None in other modes.

    The cluster's samples come from the head node: only that may ask EC2, and it is inside the cluster's security group.
    ``rule_files`` are names beside the file that this becomes.
    """
    if spec.monitoring.mode != "self-hosting":
        return None
    labels = {"cluster": spec.name}
    return {
        "global": {**_global(spec), "evaluation_interval": f"{EVALUATION_INTERVAL_S}s"},
        **({"rule_files": list(rule_files), "alerting": _alerting()} if rule_files else {}),
        # A head node that could not send for a while sends what is old when it can again. Without this, what is an hour
        # older than the instance's own newest sample would be refused.
        # https://prometheus.io/docs/prometheus/latest/configuration/configuration/#tsdb
        "storage": {"tsdb": {"out_of_order_time_window": "2h"}},
        "scrape_configs": [
            # The same port and path as on the head node; another job, so that both have an `up` of their own.
            _static_job("prometheus-keeper", "localhost:9090", labels),
            # Grafana's own metrics: https://grafana.com/docs/grafana/latest/setup-grafana/set-up-grafana-monitoring/
            _static_job("grafana", "localhost:3000", labels),
            _static_job("alertmanager", _ALERTMANAGER, labels),
        ],
    }


def _alerting() -> dict[str, Any]:
    return {"alertmanagers": [{"static_configs": [{"targets": [_ALERTMANAGER]}]}]}


def _global(spec: Spec) -> dict[str, Any]:
    return {
        "scrape_interval": f"{SCRAPE_INTERVAL_S}s",
        "scrape_timeout": f"{SCRAPE_TIMEOUT_S}s",
        # On whatever leaves without a label of its own, so that several clusters can share a workspace.
        "external_labels": {"cluster": spec.name},
    }


def _own_job(spec: Spec) -> dict[str, Any]:
    """Return the job by which Prometheus watches itself: whether it finds nodes, and whether its samples arrive."""
    return _static_job("prometheus", "localhost:9090", {"cluster": spec.name, "node_type": "HeadNode"})


def _static_job(name: str, address: str, labels: dict[str, str]) -> dict[str, Any]:
    return {"job_name": name, "static_configs": [{"targets": [address], "labels": labels}]}


def _job(spec: Spec, exporter: Exporter) -> dict[str, Any]:
    job = {
        "job_name": exporter.job,
        "ec2_sd_configs": [discovery(spec)],
        "relabel_configs": target_relabelling(exporter),
    }
    return {**job, **metric_relabelling(exporter.job, all_host_metrics=spec.monitoring.all_host_metrics)}


def metric_relabelling(job: str, *, all_host_metrics: bool) -> dict[str, Any]:
    """Return what is changed or dropped of the samples of an exporter, with its key; nothing where they stay."""
    dropped = [] if all_host_metrics else kept_series(job)
    changed = [*dropped, *(both_host_labels() if job == "dcgm-exporter" else ())]
    return {"metric_relabel_configs": changed} if changed else {}


def both_host_labels() -> list[dict[str, Any]]:
    """Return what gives each sample of dcgm-exporter the host's name as `hostname` and as `Hostname`.

    Versions after 4.5.3-4.8.2 write the former, and dashboards that are older ask for the latter.
    https://github.com/NVIDIA/dcgm-exporter/pull/655
    """
    pairs = (("Hostname", "hostname"), ("hostname", "Hostname"))
    return [{"source_labels": [label], "regex": "(.+)", "target_label": other} for label, other in pairs]


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
