"""Nodes of Amazon EKS as discovery describes them, in the place of a Kubernetes that tells of them."""

from __future__ import annotations

import copy
from typing import Any


def discovered(number: int, queue: str, network: str = "10.0.16") -> dict[str, Any]:
    """Return a node of EKS as Prometheus' discovery describes it, and where its kubelet listens.

    https://prometheus.io/docs/prometheus/latest/configuration/configuration/#node
    """
    labels = {
        "__meta_kubernetes_node_name": f"ip-10-0-16-{number}.ec2.internal",
        "__meta_kubernetes_node_provider_id": f"aws:///us-east-1a/i-{number:017x}",
        "__meta_kubernetes_node_address_InternalIP": f"{network}.{number}",
        "__meta_kubernetes_node_label_node_kubernetes_io_instance_type": "p5.48xlarge",
        "__meta_kubernetes_node_label_trainyard_queue": queue,
        "instance": f"ip-10-0-16-{number}.ec2.internal",
    }
    return {"targets": [f"{network}.{number}:10250"], "labels": labels}


def without_kubernetes(config: dict[str, Any], *nodes: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with nodes in the place of their discovery, which Debian leaves out of its Prometheus."""
    made: dict[str, Any] = copy.deepcopy(config)
    for job in made["scrape_configs"]:
        if job.pop("kubernetes_sd_configs", None):
            job["static_configs"] = list(nodes)
    return made
