"""What collects metrics in a cluster of EKS: slots of the manifests of the Prometheus agent and exporters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import ceil
from pathlib import Path
from typing import Any

from trainyard.document.write import yaml_text
from trainyard.launch.launch import compute_launches
from trainyard.monitoring.agent_config import NodeSet, agent_config, agent_sizing, host_name_of, keep_queues
from trainyard.monitoring.exporters import gpu_queues
from trainyard.platforms.eks.rendering.names import PROMETHEUS
from trainyard.render.collection import write_url
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

# Measured to need half of what a server would: src/trainyard/monitoring/sizing.py
_OF_A_SERVER = 0.5
_LEAST_MIB, _WHERE_UNKNOWN_MIB = 512, 2048
_CPU = "200m"
# From here on, profiling counters are there beside a profiler of a job: bootstrap/assets/steps/65-dcgm-exporter.sh
_PROFILING_FROM = 90
# Labels of nodes: https://kubernetes.io/docs/reference/labels-annotations-taints/#nodekubernetesioinstance-type
_INSTANCE_TYPE = "__meta_kubernetes_node_label_node_kubernetes_io_instance_type"
# trainyard/queue, which node groups of both kinds get alike: src/trainyard/platforms/eks/rendering/names.py
_QUEUE = "__meta_kubernetes_node_label_trainyard_queue"


def monitoring_slots(spec: Spec, ids: Ids) -> dict[str, Mapping[str, Any]]:
    """Return the values of the slots by the names of their files; no files where nothing is scraped."""
    config = agent_document(spec, ids)
    if config is None:
        return {}
    text = yaml_text(config)
    account = {"namespace": PROMETHEUS.namespace, "service-account": PROMETHEUS.name}
    agent = {
        **account,
        "config": {"prometheus.yml": text},
        "config-digest": {"trainyard/config": digest(text)},
        "agent-resources": agent_resources(spec),
    }
    files: dict[str, Mapping[str, Any]] = {
        "00-monitoring-namespace.yaml": account,
        "prometheus-agent.yaml": agent,
        "node-exporter.yaml": account,
    }
    if (counters := dcgm_counters(spec)) is not None:
        files["dcgm-exporter.yaml"] = {
            **account,
            "counters": {"counters.csv": counters},
            "counters-digest": {"trainyard/counters": digest(counters)},
        }
    return files


def digest(text: str) -> str:
    """Return what changes with a text, so that pods that have read it are started anew."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def agent_resources(spec: Spec) -> dict[str, dict[str, str]]:
    """Return requests and limits of the Prometheus agent: what its series need with every queue at its most nodes.

    What is beyond the limit ends the agent, so that is twice of what it needs.
    """
    launches = compute_launches(spec)
    nodes = [NodeSet(launch.instance, launch.max_nodes, launch.instance.accelerator == "nvidia") for launch in launches]
    memory = agent_sizing(nodes, all_host_metrics=spec.monitoring.all_host_metrics).server_memory_mib
    needed = _WHERE_UNKNOWN_MIB if memory is None else max(ceil(memory * _OF_A_SERVER / 256) * 256, _LEAST_MIB)
    return {"requests": {"cpu": _CPU, "memory": f"{needed}Mi"}, "limits": {"memory": f"{2 * needed}Mi"}}


def dcgm_counters(spec: Spec) -> str | None:
    """Return the counters that the DCGM exporter reads, as on nodes of ParallelCluster; None without GPUs of NVIDIA.

    One file serves all nodes, so profiling counters are in it where the GPUs of all of them have such.
    """
    launches = (launch for launch in compute_launches(spec) if launch.instance.accelerator == "nvidia")
    instances = [instance for launch in launches for instance in launch.instances]
    if not instances:
        return None
    profiling = all((instance.gpu_compute_capability or 0) >= _PROFILING_FROM for instance in instances)
    return _counters("dcgm-counters.csv") + (_counters("dcgm-profiling-counters.csv") if profiling else "")


@cache
def _counters(file: str) -> str:
    return (Path(__file__).parent / "manifests" / file).read_text(encoding="utf-8")


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
    return agent_config(spec, write_url, gpu_queues(spec), partial(_target, spec))


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
