"""Whether a cluster is up: its stacks, its nodes, and what the bucket remembers of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trainyard.deploy.record import Deployment, read_record
from trainyard.edge.aws.nodes import Node, nodes
from trainyard.edge.aws.stack_events import stack_failure
from trainyard.edge.aws.stacks import StackState, find_stack, stacks_tagged
from trainyard.errors import TrainyardError
from trainyard.operate.monitoring.access import MonitoringAccess, monitoring_access
from trainyard.render.tags import CLUSTER, ENVIRONMENT

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account


@dataclass(frozen=True, slots=True)
class Status:
    """A cluster as it is now."""

    name: str
    region: str
    record: Deployment | None
    """None for a cluster that trainyard did not make."""
    stacks: tuple[StackState, ...]
    """The cluster's own stack last."""
    nodes: tuple[Node, ...]
    problem: str | None
    """Why it is not up; None where it is."""
    monitoring: MonitoringAccess | None = None
    """What the stack of its monitoring, or of its environment's, says; None where nothing is measured."""

    @property
    def up(self) -> bool:
        """Return whether it is whole and its head node runs."""
        return self.problem is None

    def node_counts(self) -> dict[tuple[str, str | None, str], int]:
        """Return how many nodes there are by role, queue and state."""
        return dict(Counter((node.role, node.queue, node.state) for node in self.nodes))


def status(name: str, account: Account, bucket: str) -> Status:
    """Return the state of a cluster, whoever made it, or of an environment.

    Raises TrainyardError where there is nothing of that name.
    """
    own = find_stack(account, name)
    others = [stack for stack in stacks_tagged(account, CLUSTER, name) if stack.name != name]
    shared = [stack for stack in stacks_tagged(account, ENVIRONMENT, name) if CLUSTER not in stack.tags]
    record = read_record(account, bucket, name)
    if shared:
        problem = _stack_problem(account, tuple(shared))
        return Status(name, account.region, record, tuple(shared), (), problem, monitoring_access(account, shared))
    if own is None and not others and record is None:
        raise TrainyardError(
            f"there is no cluster {name} in {account.region}, and no environment",
            where=f"account {account.id}",
            hint="check the name, --region and --profile",
        )
    found = tuple(nodes(account, name))
    stacks = (*others, *([own] if own is not None else ()))
    seen = monitoring_access(account, (*stacks, *_of_environment(account, stacks)))
    return Status(name, account.region, record, stacks, found, _problem(account, own, stacks, found), seen)


def _of_environment(account: Account, stacks: tuple[StackState, ...]) -> list[StackState]:
    """Return the stacks of the environment that a cluster uses, where it uses one."""
    name = next((stack.tags[ENVIRONMENT] for stack in stacks if ENVIRONMENT in stack.tags), None)
    found = [] if name is None else stacks_tagged(account, ENVIRONMENT, name)
    return [stack for stack in found if CLUSTER not in stack.tags]


def _problem(
    account: Account, own: StackState | None, stacks: tuple[StackState, ...], found: tuple[Node, ...]
) -> str | None:
    if problem := _stack_problem(account, stacks):
        return problem
    if own is None:
        return "the cluster itself is not there"
    if not any(node.role == "HeadNode" and node.state == "running" for node in found):
        return "no head node runs"
    return None


def _stack_problem(account: Account, stacks: tuple[StackState, ...]) -> str | None:
    for stack in stacks:
        if stack.in_progress:
            return f"stack {stack.name} is {stack.status}"
        if not stack.usable:
            return stack_failure(account, stack.id, stack).problem
    return None
