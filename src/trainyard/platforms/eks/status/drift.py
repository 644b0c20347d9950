"""How an EKS cluster differs now from the cluster.yaml of its last deployment."""

from __future__ import annotations

from trainyard.deploy.preflight_step import outputs_of
from trainyard.deploy.record import Deployment
from trainyard.deploy.work import Work
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import EksCluster, NodeGroupState
from trainyard.edge.aws.stacks import StackState
from trainyard.platforms.eks.deployment.comparison import Difference, differences, node_group_differences
from trainyard.platforms.eks.deployment.config import former_config
from trainyard.spec.parsing import parse


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
