"""Which instances of an EKS cluster Prometheus discovers: those of the node groups of its queues."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import pod_identities
from trainyard.edge.aws.nodes import kubernetes_instances, node_group_of
from trainyard.operate.monitoring.verify.in_account import CheckedTags, InAccount, ScrapedInstance, instance
from trainyard.platforms.eks.rendering.names import PROMETHEUS
from trainyard.platforms.eks.rendering.node_groups import node_group_name
from trainyard.spec.cluster import Spec


def instances(account: Account, spec: Spec) -> tuple[ScrapedInstance, ...]:
    """Return those of the node groups. System nodes are of no queue, and the agent does not ask for them."""
    queues = {node_group_name(group): group.queue.name for group in spec.node_groups()}
    described = [
        (kubernetes_instance, queues.get(node_group_of(kubernetes_instance) or "", ""))
        for kubernetes_instance in kubernetes_instances(account, spec.name)
    ]
    return tuple(instance(instance_, "Compute", queue, bool(queue)) for instance_, queue in described)


def checked_tags(account: InAccount) -> Iterator[CheckedTags]:
    """Yield each node that is discovered: what is of no queue is none."""
    yield from (CheckedTags(node) for node in account.discoverable)


def refused_senders(account: InAccount, workspace: str) -> Iterator[str]:  # noqa: ARG001  part of the protocol
    """Yield that the agent's service account has no role: eksctl makes one with the policy of the workspace."""
    if PROMETHEUS not in pod_identities(account.account, account.spec.name):
        name = f"{PROMETHEUS.namespace}/{PROMETHEUS.name}"
        yield f"the service account {name} has no role by EKS Pod Identity: the agent is answered with 403"
