"""What collects metrics, as documents in which ids stand that only a deployment knows."""

from __future__ import annotations

from typing import Any

from trainyard.monitoring.alertmanager_config import alertmanager_config
from trainyard.monitoring.prometheus_config import amp_write_url, instance_config, instance_write_url
from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.network import has_load_balancer
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

AWS_CONFIG = "monitoring/aws_config.ini"
"""What Prometheus on the head node reads as AWS_CONFIG_FILE. No id stands in it."""
HEAD_NODE = "monitoring/head-node.yml"
"""prometheus.yml of the head node, as the bundle and the release call it."""
INSTANCE = "monitoring/instance.yml"
"""prometheus.yml of the monitoring instance."""
AGENT = "monitoring/agent.yml"
"""prometheus.yml of an agent beside the compute environments of Batch."""
RULES = "monitoring/rules.yml"
"""The alerts, beside prometheus.yml."""
ALERTMANAGER = "monitoring/alertmanager.yml"


def collection(spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
    """Return the documents by their names in the bundle and in the release."""
    return platform_of(spec).rendering().collection(spec, ids)


def instance_documents(spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
    """Return those of the monitoring instance, nothing where none is made with the spec."""
    config = instance_config(spec, [RULES.rpartition("/")[2]]) if spec.has_monitoring_instance else None
    if config is None:
        return {}
    topics = ids.of("AlertTopicArn"), ids.of("HeartbeatTopicArn")
    told = alertmanager_config(*topics, spec.region, spec.monitoring.alert_receivers)
    return {INSTANCE: config, ALERTMANAGER: told}


def write_url(spec: Spec, ids: Ids) -> str | None:
    """Return where what is scraped is sent, None where nothing is scraped."""
    if spec.monitoring.mode == "none" or spec.is_environment:
        return None
    if spec.monitoring.mode == "self-hosting":
        return instance_write_url(ids.of("MonitoringInstancePrivateIp"))
    return amp_write_url(ids.of("AMPPrometheusEndpoint"))


def grafana_url(spec: Spec, ids: Ids) -> str | None:
    """Return by which address people know the Grafana of a spec, as far as anybody knows, without a slash at its end.

    A name of one's own in front of the load balancer works as well: Grafana's links are relative.
    """
    if spec.environment is not None:
        return None
    if spec.monitoring.mode == "amp+amg":
        return f"https://{ids.of('ManagedGrafanaWorkspaceEndpoint')}"
    if spec.monitoring.mode != "self-hosting":
        return None
    return f"https://{ids.of('ALBDNSName')}" if has_load_balancer(spec) else "http://localhost:3000"
