"""Which instances of a cluster of AWS Batch Prometheus discovers: those of its compute environments."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import tags_of
from trainyard.edge.aws.nodes import instances_of_cluster
from trainyard.operate.monitoring.verify.in_account import CheckedTags, InAccount, ScrapedInstance, instance
from trainyard.platforms.batch.rendering.collection import CLUSTER_TAG, QUEUE_TAG
from trainyard.spec.cluster import Spec


def instances(account: Account, spec: Spec) -> tuple[ScrapedInstance, ...]:
    """Return those of the compute environments; our stacks make instances too, without a queue."""
    queues = {queue.name for queue in spec.queues}
    tagged = [(described, tags_of(dict(described))) for described in instances_of_cluster(account, spec.name)]
    return tuple(
        instance(described, "Compute", tags[QUEUE_TAG], tags.get(CLUSTER_TAG) == spec.name)
        for described, tags in tagged
        if tags.get(QUEUE_TAG, "") in queues
    )


def checked_tags(account: InAccount) -> Iterator[CheckedTags]:
    """Yield each node that is discovered: what has other tags is none."""
    yield from (CheckedTags(node) for node in account.discoverable)


def refused_senders(account: InAccount, workspace: str) -> tuple[str, ...]:  # noqa: ARG001  part of the protocol
    """Return nothing: the user runs the agent, with a role that only the user knows of."""
    return ()
