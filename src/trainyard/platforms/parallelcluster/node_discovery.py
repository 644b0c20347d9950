"""Which instances of a ParallelCluster are nodes that Prometheus discovers, by the tags that ParallelCluster sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.amazon_prometheus import workspace_arn
from trainyard.edge.aws.ec2 import tags_of
from trainyard.edge.aws.iam import may
from trainyard.edge.aws.nodes import instances_of_cluster
from trainyard.monitoring.node_discovery import CLUSTER_TAG
from trainyard.operate.monitoring.verify.in_account import CheckedTags, InAccount, ScrapedInstance, WrongTag, instance
from trainyard.spec.cluster import Spec

_NODE_TYPE_TAG = "parallelcluster:node-type"
_QUEUE_TAG = "parallelcluster:queue-name"
_STACK_TAG = "aws:cloudformation:stack-name"
_NODE_TYPES = ("HeadNode", "LoginNode", "Compute")
_ACTION = "aps:RemoteWrite"


def instances(account: Account, spec: Spec) -> tuple[ScrapedInstance, ...]:
    """Return every instance that the cluster's tags, or ours, are on; also those that are gone for a while."""
    described = instances_of_cluster(account, spec.name)
    return tuple(instance(instance_, *node_of_tags(tags_of(dict(instance_)), spec.name)) for instance_ in described)


def node_of_tags(tags: Mapping[str, str], name: str) -> tuple[str, str, bool]:
    """Return type and queue of an instance, and whether discovery asks for it."""
    return tags.get(_NODE_TYPE_TAG, ""), tags.get(_QUEUE_TAG, ""), tags.get(CLUSTER_TAG) == name


def checked_tags(account: InAccount) -> Iterator[CheckedTags]:
    """Yield each node that runs with those of its tags that hide it, or give it labels that no query asks for."""
    for node in account.instances:
        if node.running and _is_node(account, node):
            yield CheckedTags(node, tuple(_wrong_tags(account.spec, node)))


def refused_senders(account: InAccount, workspace: str) -> Iterator[str]:
    """Yield that the head node may not send metrics to a workspace."""
    head = account.head
    if head is None:
        return
    if head.profile_arn is None:
        yield f"the head node {head.id} has no instance profile"
    elif not may(account.account, head.profile_arn, _ACTION, workspace_arn(account.account, workspace)):
        profile = head.profile_arn.rpartition("/")[2]
        may_not = f"may not {_ACTION} on workspace {workspace}: it is answered with 403"
        yield f"the role of the head node ({profile}) {may_not}"


def _wrong_tags(spec: Spec, node: ScrapedInstance) -> Iterator[WrongTag]:
    queues = {queue.name for queue in spec.queues}
    name = node.tags.get(CLUSTER_TAG, "")
    if name != spec.name:
        yield WrongTag(CLUSTER_TAG, name, repr(spec.name))
    if node.node_type not in _NODE_TYPES:
        yield WrongTag(_NODE_TYPE_TAG, node.node_type, " or ".join(_NODE_TYPES))
    if node.node_type == "Compute" and node.queue not in queues:
        yield WrongTag(_QUEUE_TAG, node.queue, f"one of {', '.join(sorted(queues))}")


def _is_node(account: InAccount, node: ScrapedInstance) -> bool:
    """Return whether it is no instance of our own stacks, which are tagged as ours too."""
    own_stack = node.tags.get(_STACK_TAG, account.spec.name) == account.spec.name
    return own_stack and node.id != account.outputs.get("MonitoringInstanceId")
