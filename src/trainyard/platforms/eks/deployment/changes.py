"""What a spec would do to a cluster of Amazon EKS that exists: looked at before anything is touched."""

from __future__ import annotations

from typing import Any

from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.record import read_record
from trainyard.deploy.step import Outcome, Probe
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.steps.stack import refuse_foreign
from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.eks import EksCluster, NodeGroupState
from trainyard.edge.aws.stacks import find_stack, refuse_stuck
from trainyard.errors import TrainyardError
from trainyard.platforms.eks import EKS
from trainyard.platforms.eks.deployment.busy_nodes import pods_on
from trainyard.platforms.eks.deployment.comparison import ClusterComparison, compare
from trainyard.platforms.eks.deployment.config import config_so_far, former_config, node_groups_of
from trainyard.platforms.eks.deployment.sizes import wanted_sizes
from trainyard.platforms.eks.deployment.stacks import FAILED, own_cluster

_MOST_SHOWN = 5


class EksChanges:
    """Lets a deployment go on where eksctl can do what the spec changes, and no node goes that has jobs."""

    name = "changes"
    title = "what the spec changes of a cluster that exists"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a cluster already."""
        stack_state = find_stack(work.account, EKS.cluster_stack(work.name))
        return Probe("missing", "no cluster yet") if stack_state is None else Probe("there", stack_state.status)

    def apply(self, work: Work) -> Outcome:
        """Raise TrainyardError where the spec asks for what cannot be done to the cluster, or would end jobs."""
        stack_state = find_stack(work.account, EKS.cluster_stack(work.name))
        refuse_foreign(stack_state, work)
        cluster = own_cluster(work)
        if stack_state is None or cluster is None:
            refuse_without_stack(work, cluster, known=stack_state is not None)
            return Outcome(changed=False, detail="no cluster yet" if stack_state is None else stack_state.status)
        if stack_state.status in FAILED or not cluster.endpoint:
            return Outcome(changed=False, detail=stack_state.status)
        refuse_stuck(stack_state)
        comparison = _compared(work, cluster)
        _refuse(work, comparison)
        _refuse_busy(work, [*comparison.removed, *comparison.shrunk])
        return Outcome(changed=False, detail="; ".join(comparison.changes) or "nothing")

    def undo(self, work: Work) -> Outcome:
        """Do nothing."""
        del work
        return Outcome(changed=False)


def refuse_without_stack(work: Work, cluster: EksCluster | None, *, known: bool = False) -> None:
    """Raise TrainyardError for a cluster with our tags that eksctl has not made, or whose stack somebody deleted."""
    if cluster is not None and not known:
        raise TrainyardError(
            f"EKS cluster {work.name} exists without the stack {EKS.cluster_stack(work.name)}, by which eksctl knows "
            "what it has made",
            where=cluster.arn,
            hint="choose another name in the spec, or delete the cluster in the console where nobody needs it",
        )


def _compared(work: Work, cluster: EksCluster) -> ClusterComparison:
    """Compare what was asked for last, as far as AWS has made it, with what the spec asks for."""
    work.outputs.update({**known_outputs(work), **known_groups(work)})
    wanted = config_so_far(work)
    record = read_record(work.account, work.bucket, work.name)
    former = former_config(None if record is None else record.cluster_config) or wanted
    there = [node_group for node_group in eks.node_groups(work.account, work.name) if work.owns(node_group.tags)]
    shrunk = [node_group_state.name for node_group_state in there if _shrinks(work, wanted, node_group_state)]
    comparison = compare(_as_it_is(former, wanted, cluster, there), _as_it_will_be(work, wanted, there))
    comparison.shrunk = shrunk
    return comparison


def _as_it_is(
    former: dict[str, Any], wanted: dict[str, Any], cluster: EksCluster, there: list[NodeGroupState]
) -> dict[str, Any]:
    """Return the former configuration with the version and the node groups that AWS shows."""
    known = {**node_groups_of(wanted), **node_groups_of(former)}
    groups = [
        {
            **known.get(node_group_state.name, {"name": node_group_state.name}),
            "minSize": node_group_state.min_nodes,
            "desiredCapacity": node_group_state.desired_nodes,
            "maxSize": node_group_state.max_nodes,
        }
        for node_group_state in there
    ]
    return {**former, "metadata": {**former["metadata"], "version": cluster.version}, "managedNodeGroups": groups}


def _as_it_will_be(work: Work, wanted: dict[str, Any], there: list[NodeGroupState]) -> dict[str, Any]:
    """Return the configuration with as many nodes as there will be."""
    desired = {
        node_group_state.name: wanted_sizes(work.required_spec(), wanted, node_group_state).desired
        for node_group_state in there
        if node_group_state.name in node_groups_of(wanted)
    }
    groups = [
        {**group, "desiredCapacity": desired.get(name, group["desiredCapacity"])}
        for name, group in node_groups_of(wanted).items()
    ]
    return {**wanted, "managedNodeGroups": groups}


def _shrinks(work: Work, wanted: dict[str, Any], there: NodeGroupState) -> bool:
    if there.name not in node_groups_of(wanted):
        return False
    return wanted_sizes(work.required_spec(), wanted, there).desired < there.desired_nodes


def _refuse(work: Work, comparison: ClusterComparison) -> None:
    if not comparison.refused:
        return
    shown = "; ".join(said for said, _ in comparison.refused[:_MOST_SHOWN])
    more = f" and {len(comparison.refused) - _MOST_SHOWN} more" if len(comparison.refused) > _MOST_SHOWN else ""
    ways = ", or ".join(dict.fromkeys(way for _, way in comparison.refused))
    raise TrainyardError(
        f"cluster {work.name} exists, and the spec would change what cannot be changed: {shown}{more}",
        where=work.name,
        hint=f"nothing was touched; {ways}",
    )


def _refuse_busy(work: Work, groups: list[str]) -> None:
    """Refuse to end nodes that have jobs. Which nodes of a group go, nobody can say beforehand."""
    if not groups:
        return
    with work.kubectl(work.account, work.name) as kubectl:
        busy = pods_on(kubectl, groups)
    if busy:
        shown = ", ".join(busy[:_MOST_SHOWN]) + (f" and {len(busy) - _MOST_SHOWN} more" * (len(busy) > _MOST_SHOWN))
        raise TrainyardError(
            f"the spec takes nodes from {', '.join(groups)}, where pods run that are not over: {shown}",
            where="queues",
            hint="nothing was touched; wait for them, or delete their jobs with kubectl",
        )
