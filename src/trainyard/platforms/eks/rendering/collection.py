"""prometheus.yml for EKS: an agent in the cluster, which finds nodes through Kubernetes and scrapes their DaemonSets.

node-exporter, dcgm-exporter and trainyard-node are DaemonSets on the network of their hosts, at the ports that they
have everywhere: manifests/ beside this file. Nodes are what is discovered, not pods: only a node says which
instance of EC2 it is.
https://prometheus.io/docs/prometheus/latest/configuration/configuration/#node
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from trainyard.monitoring.agent_config import agent_config, host_name_of, keep_queues
from trainyard.monitoring.exporters import gpu_queues
from trainyard.render.collection import write_url
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

# Labels of nodes: https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesioinstance-type
_INSTANCE_TYPE = "__meta_kubernetes_node_label_node_kubernetes_io_instance_type"
# trainyard/queue, which node groups of both kinds get alike: src/trainyard/platforms/eks/rendering/names.py
_QUEUE = "__meta_kubernetes_node_label_trainyard_queue"


def agent_document(spec: Spec, ids: Ids) -> dict[str, Any] | None:
    """Return what the agent scrapes and where it sends that, None where nothing is scraped.

    In the same network nothing is signed.
    """
    url = write_url(spec, ids)
    if url is None:
        return None
    config = eks_config(spec, url)
    if spec.monitoring.mode == "self-hosting":
        for remote_write in config["remote_write"]:
            del remote_write["sigv4"]
    return config


def eks_config(spec: Spec, write_url: str) -> dict[str, Any]:
    """Return what the agent scrapes, and where it sends that, signed with what the SDK finds in the pod."""
    return agent_config(spec.name, spec.region, write_url, gpu_queues(spec), partial(_target, spec))


def _target(spec: Spec, exporter: tuple[int, Sequence[str] | None]) -> dict[str, Any]:
    port, queues = exporter
    internal = "__meta_kubernetes_node_address_InternalIP"
    return {
        "kubernetes_sd_configs": [{"role": "node"}],
        "relabel_configs": [
            *keep_queues(_QUEUE, [queue.name for queue in spec.queues] if queues is None else queues),
            {"source_labels": [internal], "target_label": "__address__", "replacement": f"$1:{port}"},
            # A node's instance is otherwise its name, and that of all of its exporters.
            {"source_labels": ["__address__"], "target_label": "instance"},
            {"target_label": "cluster", "replacement": spec.name},
            # aws:///us-east-2a/i-0123456789abcdef0
            {
                "source_labels": ["__meta_kubernetes_node_provider_id"],
                "regex": ".*/(i-[0-9a-f]+)",
                "target_label": "instance_id",
            },
            {"source_labels": [_INSTANCE_TYPE], "target_label": "instance_type"},
            host_name_of("__meta_kubernetes_node_name"),
            {"target_label": "node_type", "replacement": "Compute"},
            {"source_labels": [_QUEUE], "target_label": "queue"},
        ],
    }
