"""Leaves nodes out of a spec whose Capacity Block is over, where their queue has other ones.

An id that EC2 no longer knows makes ParallelCluster refuse every later update of the cluster, whatever it changes.
https://github.com/aws/aws-parallelcluster/issues/6870
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from trainyard.deploy.work import Work
from trainyard.edge.aws.ec2 import Described, capacity_reservations
from trainyard.errors import TrainyardError
from trainyard.launch.capacity import capacity_target
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue

_OVER = ("expired", "payment-failed")


def leave_out_expired(work: Work) -> None:
    """Take the nodes of blocks that are over out of the spec of a deployment. EC2 is asked only where there may be any.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    spec = work.required_spec()
    if any(len(list(spec.groups_in(queue))) > 1 and _blocks(spec, queue) for queue in spec.queues):
        work.spec = without_blocks(spec, expired_blocks(spec, capacity_reservations(work.account)))


def leave_out_ended(work: Work) -> bool:
    """Do the same in the middle of a deployment, which may have waited for hours; return whether nodes were left out.

    A block that EC2 does not know any more is over, too: it did when the deployment began.
    Raises TrainyardError where its nodes are the only ones of their queue.
    """
    spec = work.required_spec()
    blocks = frozenset(block for queue in spec.queues for block in _blocks(spec, queue))
    listed = capacity_reservations(work.account) if blocks else {}
    over = expired_blocks(spec, listed) | (blocks - listed.keys())
    work.spec = without_blocks(spec, over)
    for queue in work.spec.queues:
        if only := over.intersection(_blocks(work.spec, queue)):
            raise TrainyardError(
                f"Capacity Block {', '.join(sorted(only))} has ended meanwhile, and queue {queue.name} has no other "
                "nodes",
                where=work.name,
                hint="the cluster stays as it is now; give the queue other capacity, and deploy again",
            )
    if work.spec == spec:
        return False
    work.tell(f"{', '.join(sorted(over))}: ended meanwhile; its nodes are left out of the cluster")
    return True


def expired_blocks(spec: Spec, listed: Mapping[str, Described]) -> frozenset[str]:
    """Return the Capacity Blocks of a spec that are over, by what EC2 lists."""
    blocks = {block for queue in spec.queues for block in _blocks(spec, queue)}
    return frozenset(block for block in blocks if block in listed and listed[block]["State"] in _OVER)


def without_blocks(spec: Spec, blocks: Container[str]) -> Spec:
    """Return the spec without the nodes of some blocks. A queue that has no others keeps them; names stay."""
    queues = tuple(_without(spec, queue, blocks) for queue in spec.queues)
    return spec if queues == spec.queues else spec.replaced(queues=queues)


def leavable(spec: Spec, group: NodeGroup, blocks: Container[str]) -> bool:
    """Return whether the nodes of a block that is over are left out: their queue has others."""
    return (
        platform_of(spec).made_by_parallelcluster
        and _block(spec, group) in blocks
        and any(_block(spec, other) not in blocks for other in spec.groups_in(group.queue))
    )


def _without(spec: Spec, queue: Queue, blocks: Container[str]) -> Queue:
    groups = list(spec.groups_in(queue))
    kept = [group for group in groups if not leavable(spec, group, blocks)]
    if len(kept) == len(groups):
        return queue
    # A name that is made of the instance type would go to the next of that type, and its nodes with it.
    return queue.replaced(compute_resources=tuple(group.settings.replaced(name=group.name) for group in kept))


def _blocks(spec: Spec, queue: Queue) -> list[str]:
    return [block for group in spec.groups_in(queue) if (block := _block(spec, group)) is not None]


def _block(spec: Spec, group: NodeGroup) -> str | None:
    return capacity_target(spec, group.capacity).capacity_block
