"""How an EKS cluster differs now from the cluster.yaml of its last deployment, and what a deployment takes back."""

from __future__ import annotations

from trainyard.deploy.drift_review import refuse_overwriting
from trainyard.deploy.preflight_step import outputs_of
from trainyard.deploy.record import Deployment
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import EksCluster, NodeGroupState
from trainyard.edge.aws.stacks import StackState
from trainyard.platforms.eks.deployment.comparison import Difference, differences, node_group_differences
from trainyard.platforms.eks.deployment.config import config_so_far, former_config
from trainyard.spec.parsing import parse

# EKS makes the log group itself when there is something to log, also after a deployment, and without our tag.
# https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
_MADE_BY_EKS = "log group"


def drift(
    account: Account,
    record: Deployment | None,
    cluster: EksCluster,
    groups: tuple[NodeGroupState, ...],
    stacks: tuple[StackState, ...],
) -> tuple[Difference, ...]:
    """Return the differences; none before the cluster is deployed whole, and while AWS is at work on it.

    Raises TrainyardError where AWS refuses an answer.
    """
    config = None if record is None or record.stage != "deployed" else former_config(record.cluster_config)
    if record is None or config is None or cluster.status != "ACTIVE" or any(stack.in_progress for stack in stacks):
        return ()
    work = Work(account, record.name, parse(record.spec_text, "the spec of the record").spec, "")
    work.outputs.update(outputs_of(work, stacks))
    return (*differences(work, config, cluster, stacks), *node_group_differences(work, config, groups, stacks))


def overwritten_drift(
    work: Work,
    record: Deployment | None,
    cluster: EksCluster,
    groups: tuple[NodeGroupState, ...],
    stacks: tuple[StackState, ...],
) -> tuple[Difference, ...]:
    """Return those of the differences that a deployment of the spec would take back.

    Raises TrainyardError where AWS refuses an answer.
    """
    found = drift(work.account, record, cluster, groups, stacks)
    changed = [difference for difference in found if difference.part != _MADE_BY_EKS]
    if not changed:
        return ()
    config = config_so_far(work)
    coming = (*differences(work, config, cluster, stacks), *node_group_differences(work, config, groups, stacks))
    repaired = {(difference.part, difference.name) for difference in coming}
    return tuple(difference for difference in changed if (difference.part, difference.name) in repaired)


def tell_and_refuse_overwriting(work: Work, overwritten: tuple[Difference, ...]) -> None:
    """Tell what a deployment would take back of others. Raise TrainyardError where nobody has agreed to it."""
    for difference in overwritten:
        work.tell(f"changed by somebody else, and taken back: {difference.text}")
    refuse_overwriting(work, f"cluster {work.name}", [difference.text for difference in overwritten])
