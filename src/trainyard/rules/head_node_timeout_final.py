"""A timeout that can be chosen once, left to its default where much depends on it."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.launch.setup import setup_of
from trainyard.rules import Problem, Rule
from trainyard.rules.timeout_below_bootstrap import nodes_before_head_node, seconds_with_nodes
from trainyard.spec.cluster import Spec
from trainyard.spec.custom_actions import CustomActions


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the first thing that may keep the head node busy for more than half of a timeout that nobody chose."""
    if "head_node_s" in spec.timeouts.written:
        return
    if (busy := next(_busy_with(spec), None)) is not None:
        path, what = busy
        yield Problem(path, f"the head node {what} within the {spec.timeouts.head_node_s:,} s that it has by default")


def _busy_with(spec: Spec) -> Iterator[tuple[Path, str]]:
    close = seconds_with_nodes(spec)[1] * 2 > spec.timeouts.head_node_s
    for group in nodes_before_head_node(spec):
        setup = setup_of(spec, group.queue)
        nodes = f"waits for {group.min_nodes} × {group.instance_type}"
        if has_scripts(group.queue.custom_actions):
            yield group.path, f"{nodes} with scripts of your own"
        if close and setup != "none":
            yield group.path, f"{nodes} with setup {setup}"
    if has_scripts(spec.head_node.custom_actions):
        yield ("head_node", "custom_actions"), "runs scripts of your own"


def has_scripts(actions: CustomActions) -> bool:
    """Return whether a node runs scripts of the user's own before it is up. How long they take, nobody knows."""
    return bool(actions.on_start or actions.before_setup or actions.after_setup)


RULE = Rule(
    severity="info",
    confidence="possible",
    applies_to="made_by_parallelcluster",
    title="Timeout of the head node left to its default",
    rationale=(
        "CloudFormation rolls the whole cluster back when the head node is not done in time. The timeout is fixed when "
        "the cluster is made: no update changes it (UpdatePolicy.UNSUPPORTED in ParallelCluster's schema). A longer "
        "one costs nothing where all goes well."
    ),
    remedy="write timeouts.head_node_s, such as 3600",
    source="https://github.com/aws/aws-parallelcluster/blob/develop/cli/src/pcluster/schemas/cluster_schema.py",
    bad="""\
queues: [{name: compute-gpu, instance_type: p5.48xlarge}]
software: {setup: gpu, containers: true, efa_version: 1.51.0}
""",
    good="""\
queues: [{name: compute-gpu, instance_type: p5.48xlarge}]
software: {setup: gpu, containers: true, efa_version: 1.51.0}
timeouts: {head_node_s: 3600}
""",
    check=check,
)
