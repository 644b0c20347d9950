"""A part of a cluster's nodes: those of one queue, or one node."""

from __future__ import annotations

from dataclasses import replace

from trainyard.errors import InputError
from trainyard.operate.nodes.cluster_nodes import Nodes


def of_queue(nodes: Nodes, queue: str) -> Nodes:
    """Return the nodes of a queue or a login pool. Raises InputError where there is none of that name."""
    there, gone = (tuple(one for one in part if one.group == queue) for part in (nodes.there, nodes.gone))
    groups = tuple(one for one in nodes.groups if one.name == queue)
    if not (there or gone or groups):
        known = sorted({one.name for one in nodes.groups if one.name})
        hint = f"it has {', '.join(known)}" if known else "check the name"
        raise InputError(f"{nodes.name} has no queue {queue!r}", where="--queue", hint=hint)
    return replace(nodes, groups=groups, there=there, gone=gone)


def of_node(nodes: Nodes, wanted: str) -> Nodes:
    """Return one node by its instance id, or by its host name with those that are gone and had it too.

    Raises InputError where there is none.
    """
    there, gone = (tuple(one for one in part if wanted in (one.id, one.hostname)) for part in (nodes.there, nodes.gone))
    if not (there or gone):
        hint = f"`trainyard nodes check {nodes.name} --region {nodes.region}` lists them"
        raise InputError(f"{nodes.name} has no node {wanted!r}, and no record of one", where="--node", hint=hint)
    return replace(nodes, there=there, gone=gone, unread=0, only_node=True)
