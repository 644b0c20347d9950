"""An EKS cluster with its node groups and instances, and further questions about it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import Described
from trainyard.edge.aws.eks import EksCluster, NodeGroupState, find_cluster, node_groups
from trainyard.edge.aws.errors import NotAllowedError, aws_errors
from trainyard.edge.aws.nodes import kubernetes_instances
from trainyard.edge.aws.stack_events import stack_events
from trainyard.errors import TrainyardError

Answer = TypeVar("Answer")


@dataclass
class EksFacts:
    """What is known so far. Who may not ask for a part of it gets to know the rest."""

    account: Account
    name: str
    cluster: EksCluster | None = None
    """None where only its stacks are left, or EKS may not be asked."""
    node_groups: tuple[NodeGroupState, ...] = ()
    instances: tuple[Described, ...] = ()
    refused: dict[str, str] = field(default_factory=dict)
    """Why nobody knows a part, by its name."""

    def ask(self, part: str, question: Callable[..., Answer], *about: Hashable) -> Answer | None:
        """Return the answer to a question about something; None where nobody gives any."""
        try:
            with aws_errors(self.account.region):
                return question(self.account, *about)
        except TrainyardError as error:
            self.refused.setdefault(part, error.problem)
            return None


def facts_of(account: Account, name: str) -> EksFacts | None:
    """Return what is known of a cluster; None where it is none of EKS, and was never to be one.

    Raises TrainyardError where AWS does not answer.
    """
    facts = EksFacts(account, name)
    try:
        facts.cluster = find_cluster(account, name)
    except NotAllowedError as error:
        # Who has no cluster of EKS needs no leave to ask it.
        facts.refused["its state in EKS"] = error.problem
    if facts.cluster is None and not facts.ask("its stacks", stack_events, stack_of(name)):
        return None
    facts.node_groups = facts.ask("its node groups", node_groups, name) or ()
    facts.instances = facts.ask("its instances", kubernetes_instances, name) or ()
    return facts


def stack_of(name: str) -> str:
    """Return the stack in which eksctl makes a cluster."""
    return f"eksctl-{name}-cluster"
