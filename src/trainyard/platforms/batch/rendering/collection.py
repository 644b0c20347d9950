"""prometheus.yml for AWS Batch: an agent beside the compute environments, which finds their instances in EC2.

batch.yaml gives each compute environment the tags below as computeResources.tags, which Batch puts on every instance
that it launches for it:
https://docs.aws.amazon.com/batch/latest/userguide/compute-resources-tag-access-policy.html
Batch's own tags say that an instance is Batch's, and not of which cluster or queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from trainyard.monitoring.agent_config import agent_config, host_name_of, keep_queues
from trainyard.monitoring.exporters import gpu_queues
from trainyard.spec.cluster import Spec

CLUSTER_TAG = "trainyard:cluster"
QUEUE_TAG = "trainyard:queue"
# As Prometheus writes their names: every character that a label cannot have is an underscore.
# https://prometheus.io/docs/prometheus/latest/configuration/configuration/#ec2_sd_config
_CLUSTER = "__meta_ec2_tag_trainyard_cluster"
_QUEUE = "__meta_ec2_tag_trainyard_queue"
NEEDED_ACTIONS = ("ec2:DescribeInstances", "ec2:DescribeAvailabilityZones")
"""What the role of the agent needs besides aps:RemoteWrite on the workspace. Without zones it only warns."""


def batch_config(spec: Spec, write_url: str) -> dict[str, Any]:
    """Return what the agent scrapes, and where it sends that, with the credentials of its role."""
    return agent_config(spec, write_url, gpu_queues(spec), partial(_target, spec))


def _target(spec: Spec, exporter: tuple[int, Sequence[str] | None]) -> dict[str, Any]:
    port, queues = exporter
    filters = [
        {"name": f"tag:{CLUSTER_TAG}", "values": [spec.name]},
        {"name": "instance-state-name", "values": ["running"]},
    ]
    address = {"source_labels": ["__meta_ec2_private_ip"], "target_label": "__address__", "replacement": f"$1:{port}"}
    return {
        "ec2_sd_configs": [{"region": spec.region, "refresh_interval": "60s", "filters": filters}],
        "relabel_configs": [
            {"source_labels": ["__meta_ec2_instance_state"], "regex": "running", "action": "keep"},
            *keep_queues(_QUEUE, [queue.name for queue in spec.queues] if queues is None else queues),
            address,
            {"source_labels": [_CLUSTER], "target_label": "cluster"},
            {"source_labels": ["__meta_ec2_instance_id"], "target_label": "instance_id"},
            {"source_labels": ["__meta_ec2_instance_type"], "target_label": "instance_type"},
            host_name_of("__meta_ec2_private_dns_name"),
            {"target_label": "node_type", "replacement": "Compute"},
            {"source_labels": [_QUEUE], "target_label": "queue"},
        ],
    }
