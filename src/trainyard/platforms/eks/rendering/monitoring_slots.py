"""What collects metrics in a cluster of EKS: slots of the manifests of the Prometheus agent and exporters."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

from trainyard.document.write import yaml_text
from trainyard.launch.launch import compute_launches
from trainyard.monitoring.agent_sizing import Nodes, agent_sizing
from trainyard.platforms.eks.rendering.collection import agent_document
from trainyard.platforms.eks.rendering.names import PROMETHEUS
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

# Measured to need half of what a server would: src/trainyard/monitoring/sizing.py
_OF_A_SERVER = 0.5
_LEAST_MIB, _WHERE_UNKNOWN_MIB = 512, 2048
_CPU = "200m"
# From here on, profiling counters are there beside a profiler of a job: bootstrap/assets/steps/65-dcgm-exporter.sh
_PROFILING_FROM = 90


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
    nodes = [Nodes(launch.instance, launch.max_nodes, launch.instance.accelerator == "nvidia") for launch in launches]
    memory = agent_sizing(nodes).server_memory_mib
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
