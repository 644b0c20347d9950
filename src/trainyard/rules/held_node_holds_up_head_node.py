"""Nodes that are held when they fail, while the head node waits for them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.rules.timeout_below_bootstrap import nodes_before_head_node
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield on_failure: hold where nodes always run, from the creation of the cluster on."""
    if spec.software.on_failure != "hold":
        return
    queues = dict.fromkeys(
        group.queue.name for group in nodes_before_head_node(spec) if group.capacity_kind != "reservation"
    )
    if queues:
        message = f"the head node waits for the nodes of {', '.join(queues)}; one that is held never looks ready to it"
        yield Problem(("software", "on_failure"), message)


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="made_by_parallelcluster",
    title="Held nodes that hold up the head node",
    rationale=(
        "While a cluster is made, the head node waits until every node that always runs is idle or at work. One that "
        "is held is reserved instead, so the head node waits until its own timeout, and the creation of the cluster "
        "fails. Once the cluster is there, holding nodes does no harm."
    ),
    remedy="begin with min: 0 in those queues, or write on_failure: terminate until the cluster is there",
    source="https://github.com/aws/aws-parallelcluster/issues/3373",
    bad="""\
software: {setup: gpu, on_failure: hold}
queues: [{name: train, instance_type: p5.48xlarge, nodes: 2}]
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    good="""\
software: {setup: gpu, on_failure: hold}
queues: [{name: train, instance_type: p5.48xlarge, nodes: {min: 0, max: 2}}]
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
