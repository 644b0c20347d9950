"""Nodes that a cluster is made without, because the head node would wait for them.

Their minimum is raised by an update once the cluster is there:
https://github.com/aws/aws-parallelcluster/issues/3373
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.rules.static_nodes_hold_up_head_node import RULE
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def withheld_nodes(spec: Spec) -> tuple[NodeGroup, ...]:
    """Return the nodes that always run, but whose capacity may come late."""
    late = {problem.path[:-1] for problem in RULE.problems(spec)}
    return tuple(group for group in spec.node_groups() if group.path in late)


def without_withheld_nodes(spec: Spec, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a ParallelCluster configuration in which those nodes are only started when jobs want them."""
    first: dict[str, Any] = copy.deepcopy(dict(config))
    late = {group.path for group in withheld_nodes(spec)}
    for path, resource in _resources(spec, first):
        if path in late:
            resource["MinCount"] = 0
    return first


def _resources(spec: Spec, config: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield each compute resource with the place of its nodes in the spec: both have the same order."""
    queues = config["Scheduling"]["SlurmQueues"]
    rendered = [resource for queue in queues for resource in queue["ComputeResources"]]
    groups = list(spec.node_groups())
    yield from ((group.path, resource) for group, resource in zip(groups, rendered, strict=True))
