"""What collects metrics, as documents in which ids stand that only a deployment knows."""

from __future__ import annotations

from typing import Any

from trainyard.monitoring.alertmanager_config import alertmanager_config
from trainyard.monitoring.exporters import gpu_queues
from trainyard.monitoring.prometheus_config import head_node_config, instance_config
from trainyard.monitoring.remote_write import amp_write_url, instance_write_url
from trainyard.platforms.batch.rendering.collection import BatchCluster, batch_config
from trainyard.platforms.eks.rendering.collection import EksCluster, eks_config
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
    url = write_url(spec, ids)
    if spec.platform == "batch":
        return {} if url is None else {AGENT: batch_config(_batch_cluster(spec), url)}
    if spec.platform == "eks":  # what its agent reads is a manifest: agent_document
        return _of_instance(spec, ids)
    config = None if url is None else head_node_config(spec, url)
    return {**({} if config is None else {HEAD_NODE: config}), **_of_instance(spec, ids)}


def agent_document(spec: Spec, ids: Ids) -> dict[str, Any] | None:
    """Return what the Prometheus agent in a cluster of EKS reads, None where nothing is scraped."""
    url = write_url(spec, ids)
    if url is None:
        return None
    cluster = EksCluster(spec.name, spec.region, [queue.name for queue in spec.queues], gpu_queues(spec))
    config = eks_config(cluster, url)
    if spec.monitoring.mode == "self-hosting":  # in the same network, where nothing is signed
        for way in config["remote_write"]:
            del way["sigv4"]
    return config


def _batch_cluster(spec: Spec) -> BatchCluster:
    return BatchCluster(spec.name, spec.region, [queue.name for queue in spec.queues], gpu_queues(spec))


def _of_instance(spec: Spec, ids: Ids) -> dict[str, dict[str, Any]]:
    """Return those of the monitoring instance, nothing where none is made with the spec."""
    config = instance_config(spec, [RULES.rpartition("/")[2]]) if spec.has_monitoring_instance else None
    if config is None:
        return {}
    return {INSTANCE: config, ALERTMANAGER: alertmanager_config(ids.of("AlertTopicArn"), spec.region)}


def write_url(spec: Spec, ids: Ids) -> str | None:
    """Return where the head node sends what it scrapes, None where nothing is scraped."""
    if spec.monitoring.mode == "none" or spec.is_environment:
        return None
    if spec.monitoring.mode == "self-hosting":
        return instance_write_url(ids.of("MonitoringInstancePrivateIp"))
    return amp_write_url(ids.of("AMPPrometheusEndpoint"))
