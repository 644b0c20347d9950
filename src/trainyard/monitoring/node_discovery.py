"""How Prometheus finds the nodes of a ParallelCluster cluster in EC2, and which labels it gives them.

Every exporter asks EC2 the very same question: Prometheus asks it once for all jobs whose discovery is equal, so that
more exporters make no more calls of DescribeInstances.
https://github.com/prometheus/prometheus/blob/main/discovery/manager.go
"""

from __future__ import annotations

from typing import Any

from trainyard.monitoring.exporters import Exporter
from trainyard.spec.cluster import Spec

# The tags of instances, without the prefix aws: that would be a tag of CloudFormation's.
# https://github.com/aws/aws-parallelcluster/blob/v3.16.1/cli/src/pcluster/constants.py
# The values HeadNode, Compute and LoginNode stand in cluster_stack.py, queues_stack.py and login_nodes_stack.py:
# https://github.com/aws/aws-parallelcluster/tree/v3.16.1/cli/src/pcluster/templates
CLUSTER_TAG = "parallelcluster:cluster-name"

# Prometheus writes every character of a tag's name that a label cannot have as an underscore.
# https://prometheus.io/docs/prometheus/latest/configuration/configuration/#ec2_sd_config
_CLUSTER = "__meta_ec2_tag_parallelcluster_cluster_name"
_NODE_TYPE = "__meta_ec2_tag_parallelcluster_node_type"
_QUEUE = "__meta_ec2_tag_parallelcluster_queue_name"

# Those that say where a sample comes from. Of all that is exported, only node_udp_queues has a label of one of these
# names, queue; Prometheus renames that to exported_queue where a node has a queue. No query of ours asks for it.
TARGET_LABELS = ("cluster", "instance_id", "instance_type", "node_name", "node_type", "queue")


def discovery(spec: Spec) -> dict[str, Any]:
    """Return the question to EC2: the instances of this cluster that run.

    There is no key, profile or role in it on purpose: what the SDK's own chain finds is renewed where it says when it
    ends, and a key in a file says nothing, so that six hours later all nodes vanish. See aws_config.ini.
    https://github.com/aws-samples/aws-parallelcluster-monitoring/pull/53
    Prometheus 3.7.0 and 3.7.1 find none where no key is given: https://github.com/prometheus/prometheus/pull/17355
    """
    return {
        "region": spec.region,
        **through_proxy(spec),
        # The default. A node is scraped a minute after it appears, long before its exporters are up.
        "refresh_interval": "60s",
        "filters": [
            {"name": f"tag:{CLUSTER_TAG}", "values": [spec.name]},
            {"name": "instance-state-name", "values": ["running"]},
        ],
    }


def through_proxy(spec: Spec) -> dict[str, str]:
    """Return by which proxy Prometheus reaches AWS, or nothing: ParallelCluster tells only shells of it.

    /etc/profile.d/proxy.sh in https://github.com/aws/aws-parallelcluster/blob/v3.16.1/cli/src/pcluster/resources/head_node/user_data.sh
    """
    return {} if spec.network.http_proxy is None else {"proxy_url": spec.network.http_proxy}


def target_relabelling(exporter: Exporter) -> list[dict[str, Any]]:
    """Return which of the instances run an exporter, where it listens, and their labels.

    The label `instance` is left to Prometheus, which makes it the address: private IP and port.
    """
    return [
        _keep("__meta_ec2_instance_state", "running"),
        _keep(_NODE_TYPE, "|".join(exporter.node_types)),
        *([] if exporter.queues is None else [_keep(_QUEUE, "|".join(exporter.queues))]),
        {
            "source_labels": ["__meta_ec2_private_ip"],
            "target_label": "__address__",
            "replacement": f"$1:{exporter.port}",
        },
        _copy(_CLUSTER, "cluster"),
        _copy("__meta_ec2_instance_id", "instance_id"),
        _copy("__meta_ec2_instance_type", "instance_type"),
        # What EC2 calls the host, without its domain. Slurm's name of a node is in no tag: node_uname_info has it as
        # nodename, to be joined by instance_id.
        {**_copy("__meta_ec2_private_dns_name", "node_name"), "regex": r"([^.]+)(?:\..*)?"},
        _copy(_NODE_TYPE, "node_type"),
        _copy(_QUEUE, "queue"),
    ]


def _keep(label: str, values: str) -> dict[str, Any]:
    return {"source_labels": [label], "regex": values, "action": "keep"}


def _copy(label: str, to: str) -> dict[str, Any]:
    return {"source_labels": [label], "target_label": to}
