"""Whether as many nodes are there as the spec as deployed says."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.nodes.cluster_nodes import Nodes
from trainyard.operate.nodes.expected_nodes import Group
from trainyard.operate.nodes.finding_kinds import finding
from trainyard.operate.nodes.node_state import NodeState


def counts(nodes: Nodes) -> Iterator[Finding]:
    """Yield what is missing, what is too much, and what the spec does not have at all."""
    if nodes.only_node:
        return
    for group in nodes.groups:
        there = [node for node in nodes.there if node.active and node.of(group)]
        always = [node for node in there if not _dynamic(node, group)]
        if len(always) < group.least:
            remedy = "the deployment has not ended yet" if nodes.deploying else None
            message = f"{len(always)} of {group.least} nodes are there of {_words(group)}"
            yield finding("nodes-missing", message, remedy, path=group.path)
        elif len(there) > group.most:
            message = f"{len(there)} nodes are there of {_words(group)}, which has {group.most} at most"
            yield finding("nodes-beyond-spec", message, path=group.path)
    if nodes.expected.problem is None:
        for node in nodes.there:
            if node.active and not any(node.of(group) for group in nodes.groups):
                yield finding("node-not-in-spec", f"the spec as deployed has no {_kind(node)}, to which {node} belongs")


def _dynamic(node: NodeState, group: Group) -> bool:
    """Return whether it runs for as long as jobs want it: ParallelCluster puts dy into the name of such a node.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
    """
    return node.hostname.startswith(f"{group.name}-dy-{group.compute_resource}-")


def _words(group: Group) -> str:
    if group.role == "compute":
        return f"queue {group.name}, compute resource {group.compute_resource}"
    others = {"login": f"login pool {group.name}", "monitoring": "the monitoring instance"}
    return others.get(group.role, "the head node")


def _kind(node: NodeState) -> str:
    return f"{node.place}, compute resource {node.compute_resource}" if node.role == "compute" else node.place
