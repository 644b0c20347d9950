"""The stack that says where the metrics of a cluster are: its own, or that of its environment."""

from __future__ import annotations

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.stacks import StackState, stacks_tagged
from trainyard.render.tags import CLUSTER, ENVIRONMENT

_MODE = "MonitoringType"


def monitoring_stack(account: Account, cluster: str) -> StackState | None:
    """Return it; None where trainyard made none for the cluster."""
    own = stacks_tagged(account, CLUSTER, cluster)
    environment = next((one.tags[ENVIRONMENT] for one in own if ENVIRONMENT in one.tags), None)
    shared = [] if environment is None else stacks_tagged(account, ENVIRONMENT, environment)
    stacks = [*own, *(one for one in shared if CLUSTER not in one.tags)]
    return next((stack for stack in stacks if _MODE in stack.outputs), None)


def made_by_trainyard(account: Account, cluster: str) -> bool:
    """Return whether any stack of the cluster is trainyard's."""
    return bool(stacks_tagged(account, CLUSTER, cluster))
