"""The stack that says where the metrics of a cluster are: its own, or that of its environment."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import StackState, stacks_tagged
from trainyard.render.tags import CLUSTER, ENVIRONMENT

_MODE = "MonitoringType"


def monitoring_stack(account: Account, cluster: str) -> StackState | None:
    """Return it; None where trainyard made none for the cluster."""
    own = stacks_tagged(account, CLUSTER, cluster)
    environment = next((stack_state.tags[ENVIRONMENT] for stack_state in own if ENVIRONMENT in stack_state.tags), None)
    shared = [] if environment is None else stacks_tagged(account, ENVIRONMENT, environment)
    stacks = [*own, *(stack_state for stack_state in shared if CLUSTER not in stack_state.tags)]
    return next((stack for stack in stacks if _MODE in stack.outputs), None)


def made_by_trainyard(account: Account, cluster: str) -> bool:
    """Return whether any stack of the cluster is trainyard's."""
    return bool(stacks_tagged(account, CLUSTER, cluster))
