"""Nodes that a cluster is made without, because the head node would wait for them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.architectures.by_platform import architectures_on
from trainyard.deploy.withheld_nodes import withheld_nodes, without_withheld_nodes
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

HEAD = "name: a\nregion: us-east-2\nplatform: parallelcluster\nnetwork: {availability_zone: us-east-2a}\n"
TWO_QUEUES = (
    HEAD
    + """\
queues:
  - name: free
    compute_resources:
      - {name: small, instance_type: c5.large, nodes: 2}
      - {name: late, instance_type: p5.48xlarge, nodes: {min: 3, max: 5}, capacity: {reservation: cr-0123456789abcdef0}}
  - {name: bought, instance_type: p5.48xlarge, nodes: 4, capacity: {capacity_block: cr-0123456789abcdef1}}
"""
)


def counts(config: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [
        (resource["Name"], resource["MinCount"], resource["MaxCount"])
        for queue in config["Scheduling"]["SlurmQueues"]
        for resource in queue["ComputeResources"]
    ]


def test_only_nodes_whose_capacity_may_come_late_are_held_back():
    spec = parse(TWO_QUEUES, "a.yaml").spec
    config = render(spec, {}).documents["cluster.yaml"]
    assert counts(without_withheld_nodes(spec, config)) == [("small", 2, 2), ("late", 0, 5), ("p5-48xlarge", 4, 4)]


def test_the_final_configuration_is_not_touched():
    spec = parse(TWO_QUEUES, "a.yaml").spec
    config = render(spec, {}).documents["cluster.yaml"]
    without_withheld_nodes(spec, config)
    assert counts(config)[1] == ("late", 3, 5)


@pytest.mark.parametrize("architecture", architectures_on("parallelcluster"), ids=lambda one: one.name)
def test_of_every_architecture_only_minimums_of_held_back_nodes_differ(architecture):
    spec = parse(architecture.text, "a.yaml").spec
    config = render(spec, {}).documents["cluster.yaml"]
    first = without_withheld_nodes(spec, config)
    late = sum(group.min_nodes for group in withheld_nodes(spec))
    assert sum(low for _, low, _ in counts(config)) - sum(low for _, low, _ in counts(first)) == late
