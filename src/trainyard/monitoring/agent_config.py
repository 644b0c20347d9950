"""What the agents of EKS and AWS Batch have in common with the head node's, and how much metrics they collect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from trainyard.launch.instance import Instance
from trainyard.monitoring.node_series import agent_series, instance_series, total
from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S, SCRAPE_TIMEOUT_S, metric_relabelling, queue_config
from trainyard.monitoring.sizing import Sizing
from trainyard.spec.cluster import Spec

# A port, and the queues whose nodes have the exporter; None for all of them.
Listens = tuple[int, Sequence[str] | None]


def agent_config(
    spec: Spec, write_url: str, gpu_queues: Sequence[str], discovery_of: Callable[[Listens], dict[str, Any]]
) -> dict[str, Any]:
    """Return the configuration of an agent that sends to Amazon Managed Prometheus.

    ``found`` gives the discovery of an exporter and its relabelling. An agent that is started with --agent keeps
    nothing; the same configuration in a server would.
    """
    exporters: dict[str, Listens] = {"node-exporter": (9100, None), "trainyard-node": (9341, None)}
    if gpu_queues:
        exporters["dcgm-exporter"] = (9400, tuple(gpu_queues))
    jobs = [
        {
            "job_name": job,
            **discovery_of(listens),
            **metric_relabelling(job, all_host_metrics=spec.monitoring.all_host_metrics),
        }
        for job, listens in exporters.items()
    ]
    own = {"targets": ["localhost:9090"], "labels": {"cluster": spec.name}}
    return {
        "global": {
            "scrape_interval": f"{SCRAPE_INTERVAL_S}s",
            "scrape_timeout": f"{SCRAPE_TIMEOUT_S}s",
            "external_labels": {"cluster": spec.name},
        },
        "scrape_configs": [{"job_name": "prometheus", "static_configs": [own]}, *jobs],
        "remote_write": [
            {"name": "keeper", "url": write_url, "sigv4": {"region": spec.region}, "queue_config": queue_config()}
        ],
    }


def keep_queues(label: str, queues: Sequence[str]) -> list[dict[str, Any]]:
    """Return what keeps the nodes of some queues."""
    return [{"source_labels": [label], "regex": "|".join(queues), "action": "keep"}]


def host_name_of(label: str) -> dict[str, Any]:
    """Return what makes the label node_name of a host's name, without its domain."""
    return {"source_labels": [label], "regex": r"([^.]+)(?:\..*)?", "target_label": "node_name"}


class NodeSet(NamedTuple):
    """Nodes that are alike, at their least or their most."""

    instance: Instance
    number: int
    gpus: bool
    """Whether they have NVIDIA GPUs, and dcgm-exporter with them."""


def agent_sizing(nodes: Iterable[NodeSet], *, all_host_metrics: bool) -> Sizing:
    """Return what they amount to with the agent itself. Sidecars and pods of users are not counted."""
    listed = [node for node in nodes if node.number]
    series = [instance_series(nodes.instance, gpus=nodes.gpus, all_host_metrics=all_host_metrics) for nodes in listed]
    parts = [None if each is None else each * nodes.number for each, nodes in zip(series, listed, strict=True)]
    return Sizing(sum(nodes.number for nodes in listed), total([agent_series(), *parts]))
