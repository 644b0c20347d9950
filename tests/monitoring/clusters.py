"""Clusters to collect metrics of, and what is made of them."""

from __future__ import annotations

from typing import Any

from trainyard.monitoring.prometheus_config import amp_write_url, head_node_config, instance_config, instance_write_url
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

MODES = ("self-hosting", "amp-only", "amp+amg")
WORKSPACE = "https://aps-workspaces.us-east-1.amazonaws.com/workspaces/ws-00000000-0000-0000-0000-000000000000/"
# A GPU queue, one without GPUs, one that is left alone, and login nodes.
MIXED = """\
name: mixed
region: us-east-1
platform: parallelcluster
network: {availability_zone: us-east-1a}
head_node: {instance_type: m5.2xlarge}
login_nodes: {count: 1, instance_type: m5.large}
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: {min: 1, max: 4}, capacity: on-demand}
  - {name: cpu, instance_type: c5n.18xlarge, nodes: {min: 0, max: 10}, capacity: on-demand, setup: cpu}
  - {name: bare, instance_type: m5.2xlarge, nodes: 1, capacity: on-demand, setup: none}
file_systems: []
software: {setup: gpu}
monitoring: {mode: MODE}
"""


def spec_of(text: str) -> Spec:
    return parse(text, "cluster.yaml").spec


def mixed(mode: str = "amp-only") -> Spec:
    return spec_of(MIXED.replace("MODE", mode))


def write_url(spec: Spec) -> str:
    return instance_write_url("10.0.16.9") if spec.monitoring.mode == "self-hosting" else amp_write_url(WORKSPACE)


def on_head_node(spec: Spec) -> dict[str, Any]:
    config = head_node_config(spec, write_url(spec))
    assert config is not None
    return config


def on_instance(spec: Spec) -> dict[str, Any]:
    config = instance_config(spec)
    assert config is not None
    return config
