"""Whether instances carry the tags that discovery filters on and makes labels of."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.monitoring.node_discovery import CLUSTER_TAG
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.in_account import InAccount
from trainyard.operate.monitoring.verify.instances import NODE_TYPE_TAG, QUEUE_TAG, Instance
from trainyard.operate.monitoring.verify.subject import Situation

_STACK_TAG = "aws:cloudformation:stack-name"
_NODE_TYPES = ("HeadNode", "LoginNode", "Compute")


def instance_tags(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for each instance whose tags hide it, or give it labels that no query asks for."""
    account = situation.account
    if account is None:
        return
    if situation.spec.platform != "parallelcluster":  # elsewhere, what is of no queue is none of the nodes
        situation.looked_at["instances"] += len(account.discoverable)
        return
    for instance in account.instances:
        if instance.running and _is_node(account, instance):
            situation.looked_at["instances"] += 1
            for tag, value, wanted in _wrong(situation, instance):
                written = f"has {value!r} in tag {tag}" if value else f"lacks tag {tag}"
                yield finding("instance-tag-wrong", f"{instance.id} {written}; discovery wants {wanted}")


def _wrong(situation: Situation, instance: Instance) -> Iterator[tuple[str, str, str]]:
    queues = {queue.name for queue in situation.spec.queues}
    name = instance.tags.get(CLUSTER_TAG, "")
    if name != situation.spec.name:
        yield CLUSTER_TAG, name, repr(situation.spec.name)
    if instance.node_type not in _NODE_TYPES:
        yield NODE_TYPE_TAG, instance.node_type, " or ".join(_NODE_TYPES)
    if instance.node_type == "Compute" and instance.queue not in queues:
        yield QUEUE_TAG, instance.queue, f"one of {', '.join(sorted(queues))}"


def _is_node(account: InAccount, instance: Instance) -> bool:
    """Return whether it is no instance of our own stacks, which are tagged as ours too."""
    name = account.spec.name
    own_stack = instance.tags.get(_STACK_TAG, name) == name
    return own_stack and instance.id != account.outputs.get("MonitoringInstanceId")
