"""What a spec would do to a cluster of Amazon EKS that exists: looked at before anything is touched."""

from __future__ import annotations

from typing import Any

from trainyard.deploy.cluster_update import ClusterUpdate
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.record import Deployment, read_record
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.steps.stack import refuse_foreign
from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.eks import EksCluster, NodeGroupState
from trainyard.edge.aws.stacks import find_stack, refuse_stuck
from trainyard.errors import TrainyardError
from trainyard.finding import path_text
from trainyard.platforms.eks import EKS
from trainyard.platforms.eks.deployment.config import config_so_far, desired_sizes, former_config, node_groups_of
from trainyard.platforms.eks.deployment.config_comparison import ClusterComparison, compare
from trainyard.platforms.eks.deployment.drift import overwritten_drift, tell_and_refuse_overwriting
from trainyard.platforms.eks.deployment.ready_nodes import pods_on
from trainyard.platforms.eks.deployment.stacks import FAILED, own_cluster, own_stacks
from trainyard.platforms.eks.rendering.node_groups import node_group_name

_MOST_SHOWN = 5


class EksChanges:
    """Lets a deployment go on where eksctl can do what the spec changes, and no node goes that has jobs."""

    name = "changes"
    title = "what the spec changes of a cluster that exists"

    def probe(self, work: Work) -> Probe:
        """Say whether there is a cluster already."""
        stack_state = find_stack(work.account, EKS.cluster_stack(work.name))
        return Probe("missing", "no cluster yet") if stack_state is None else Probe("there", stack_state.status)

    def apply(self, work: Work) -> StepOutcome:
        """Raise TrainyardError where the spec asks for what cannot be done to the cluster, or would end jobs."""
        if work.required_spec().eks.adopted:
            raise TrainyardError(
                f"the spec has adopted cluster {work.name}, which trainyard reads and does not change",
                where="eks.adopted",
                hint="render the spec and give its cluster.yaml to eksctl; without eks.adopted, trainyard makes a "
                "cluster of its own",
            )
        stack_state = find_stack(work.account, EKS.cluster_stack(work.name))
        refuse_foreign(stack_state, work)
        cluster = own_cluster(work)
        if stack_state is None or cluster is None:
            refuse_without_stack(work, cluster, is_known=stack_state is not None)
            return StepOutcome(changed=False, detail="no cluster yet" if stack_state is None else stack_state.status)
        if stack_state.status in FAILED or not cluster.endpoint:
            return StepOutcome(changed=False, detail=stack_state.status)
        refuse_stuck(stack_state)
        groups = eks.node_groups(work.account, work.name)
        record = read_record(work.account, work.bucket, work.name)
        comparison = _compared(work, cluster, groups, record)
        work.cluster_update = _update_of(comparison)
        _refuse(work, comparison)
        tell_and_refuse_overwriting(work, overwritten_drift(work, record, cluster, groups, tuple(own_stacks(work))))
        _refuse_busy(work, [*comparison.removed, *comparison.shrunk])
        return StepOutcome(changed=False, detail="; ".join(comparison.changes) or "nothing")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing."""
        del work
        return StepOutcome(changed=False)


def refuse_without_stack(work: Work, cluster: EksCluster | None, *, is_known: bool = False) -> None:
    """Raise TrainyardError for a cluster with our tags that eksctl has not made, or whose stack somebody deleted."""
    if cluster is not None and not is_known:
        raise TrainyardError(
            f"EKS cluster {work.name} exists without the stack {EKS.cluster_stack(work.name)}, by which eksctl knows "
            "what it has made",
            where=cluster.arn,
            hint="choose another name in the spec, or delete the cluster in the console where nobody needs it",
        )


def _compared(
    work: Work, cluster: EksCluster, existing_groups: tuple[NodeGroupState, ...], record: Deployment | None
) -> ClusterComparison:
    """Compare what was asked for last, as far as AWS has made it, with what the spec asks for."""
    work.outputs.update({**known_outputs(work), **known_groups(work)})
    config = config_so_far(work)
    former = former_config(None if record is None else record.cluster_config) or config
    groups = [node_group for node_group in existing_groups if work.owns(node_group.tags)]
    shrunk = [node_group_state.name for node_group_state in groups if _shrinks(work, config, node_group_state)]
    paths = {node_group_name(group): path_text(group.path) for group in work.required_spec().node_groups()}
    comparison = compare(_as_it_is(former, config, cluster, groups), _as_it_will_be(work, config, groups), paths)
    comparison.shrunk = shrunk
    return comparison


def _update_of(comparison: ClusterComparison) -> ClusterUpdate | None:
    """Return what plan and question say of it; None where nothing changes. No node goes that has jobs."""
    if not comparison.updates:
        return None
    return ClusterUpdate(tuple(comparison.updates), "refused" if comparison.refused else "live")


def _as_it_is(
    former: dict[str, Any], config: dict[str, Any], cluster: EksCluster, existing_groups: list[NodeGroupState]
) -> dict[str, Any]:
    """Return the former configuration with the version and the node groups that AWS shows."""
    by_name = {**node_groups_of(config), **node_groups_of(former)}
    groups = [
        {
            **by_name.get(node_group_state.name, {"name": node_group_state.name}),
            "minSize": node_group_state.min_nodes,
            "desiredCapacity": node_group_state.desired_nodes,
            "maxSize": node_group_state.max_nodes,
        }
        for node_group_state in existing_groups
    ]
    return {**former, "metadata": {**former["metadata"], "version": cluster.version}, "managedNodeGroups": groups}


def _as_it_will_be(work: Work, config: dict[str, Any], existing_groups: list[NodeGroupState]) -> dict[str, Any]:
    """Return the configuration with as many nodes as there will be."""
    desired = {
        node_group_state.name: desired_sizes(work.required_spec(), config, node_group_state).desired
        for node_group_state in existing_groups
        if node_group_state.name in node_groups_of(config)
    }
    groups = [
        {**group, "desiredCapacity": desired.get(name, group["desiredCapacity"])}
        for name, group in node_groups_of(config).items()
    ]
    return {**config, "managedNodeGroups": groups}


def _shrinks(work: Work, config: dict[str, Any], group: NodeGroupState) -> bool:
    if group.name not in node_groups_of(config):
        return False
    return desired_sizes(work.required_spec(), config, group).desired < group.desired_nodes


def _refuse(work: Work, comparison: ClusterComparison) -> None:
    if not comparison.refused:
        return
    shown = "; ".join(text for text, _ in comparison.refused[:_MOST_SHOWN])
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
