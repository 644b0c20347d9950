"""What a spec would do to a cluster of Amazon EKS that exists: looked at before anything is touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trainyard.catalog.by_version import number_of
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
from trainyard.platforms.eks import EKS
from trainyard.platforms.eks.deployment.config import config_so_far, desired_sizes, former_config, node_groups_of
from trainyard.platforms.eks.deployment.drift import overwritten_drift, refuse_overwriting
from trainyard.platforms.eks.deployment.ready_nodes import pods_on
from trainyard.platforms.eks.deployment.stacks import FAILED, own_cluster, own_stacks

_MOST_SHOWN = 5
SIZES = ("minSize", "desiredCapacity", "maxSize")
# Above node groups, what a later step brings about. Everything else is fixed when the cluster is made.
_CHANGEABLE = {"addons", "cloudWatch", "managedNodeGroups"}
_OF_METADATA = {"version", "tags"}
_OF_VPC = {"clusterEndpoints", "publicAccessCIDRs"}
_OF_IAM = {"podIdentityAssociations"}
_OF_ACCESS = {"accessEntries"}
# Of a node group, beside its sizes: EKS is told of them by eksctl's stack, which eksctl does not change later.
_NEXT = "give the queue another name, deploy, and then take the old one out"


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
        _refuse(work, comparison)
        refuse_overwriting(work, overwritten_drift(work, record, cluster, groups, tuple(own_stacks(work))))
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
    comparison = compare(_as_it_is(former, config, cluster, groups), _as_it_will_be(work, config, groups))
    comparison.shrunk = shrunk
    return comparison


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


@dataclass
class ClusterComparison:
    """The differences, in words for whoever deploys."""

    changes: list[str] = field(default_factory=list)
    """What will be done."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """What cannot be done, each with what to do instead."""
    added: list[str] = field(default_factory=list)
    """Names of node groups that are new."""
    removed: list[str] = field(default_factory=list)
    """Names of node groups that go."""
    shrunk: list[str] = field(default_factory=list)
    """Names of node groups of which nodes end."""


def compare(former: Mapping[str, Any], config: Mapping[str, Any]) -> ClusterComparison:
    """Return what one configuration changes of another."""
    comparison = ClusterComparison()
    _version(comparison, former["metadata"]["version"], config["metadata"]["version"])
    for path, before, after in _of_cluster(former, config):
        text = f"{path} {_value_text(before)} to {_value_text(after)}"
        comparison.refused.append((text, "it is fixed when the cluster is made: destroy it and deploy it anew"))
    _node_groups(comparison, node_groups_of(former), node_groups_of(config))
    comparison.changes.extend(_other_changes(former, config))
    return comparison


def _version(comparison: ClusterComparison, before: str, after: str) -> None:
    if before == after:
        return
    (major, minor), (wanted_major, wanted_minor) = number_of(before)[:2], number_of(after)[:2]
    text = f"Kubernetes {before} to {after}"
    if (wanted_major, wanted_minor) == (major, minor + 1):
        comparison.changes.append(text)
    elif (wanted_major, wanted_minor) > (major, minor):
        comparison.refused.append((text, f"EKS upgrades one minor version at a time: deploy {major}.{minor + 1} first"))
    else:
        comparison.refused.append((text, f"no control plane goes back to an older version: keep {before}"))


def _of_cluster(former: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield what differs outside of node groups and cannot be changed, by its path."""
    inner = {"metadata": _OF_METADATA, "vpc": _OF_VPC, "iam": _OF_IAM, "accessConfig": _OF_ACCESS}
    for key in sorted((former.keys() | config.keys()) - _CHANGEABLE):
        before, after = former.get(key), config.get(key)
        if key not in inner:
            if before != after:
                yield key, before, after
            continue
        for name in sorted(((before or {}).keys() | (after or {}).keys()) - inner[key]):
            if (before or {}).get(name) != (after or {}).get(name):
                yield f"{key}.{name}", (before or {}).get(name), (after or {}).get(name)


def _node_groups(comparison: ClusterComparison, former: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    comparison.added = [name for name in config if name not in former]
    comparison.removed = [name for name in former if name not in config]
    comparison.changes.extend(f"new node group {name}" for name in comparison.added)
    comparison.changes.extend(f"node group {name} goes" for name in comparison.removed)
    for name in config.keys() & former.keys():
        before, after = former[name], config[name]
        if sizes := _sizes(before, after):
            comparison.changes.append(f"node group {name}: {sizes}")
        for key in sorted((before.keys() | after.keys()) - {*SIZES, "tags"}):
            if before.get(key) != after.get(key):
                text = f"node group {name}: {key} {_value_text(before.get(key))} to {_value_text(after.get(key))}"
                comparison.refused.append((text, _NEXT))


def _sizes(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    changed = [key for key in SIZES if before.get(key) != after.get(key)]
    return ", ".join(f"{key} {before.get(key)} to {after.get(key)}" for key in changed)


def _other_changes(former: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    if former.get("addons") != config.get("addons"):
        yield "add-ons"
    if former.get("cloudWatch") != config.get("cloudWatch"):
        yield "logs of the control plane"
    if any(former["vpc"].get(key) != config["vpc"].get(key) for key in _OF_VPC):
        yield "who reaches the Kubernetes API"
    if former["iam"].get("podIdentityAssociations") != config["iam"].get("podIdentityAssociations"):
        yield "roles of workloads"
    entries, wanted = (document["accessConfig"].get("accessEntries", []) for document in (former, config))
    if entries != wanted:
        gone = [entry["principalARN"] for entry in entries if entry not in wanted]
        yield "administrators" + (f", without {', '.join(gone)}" if gone else "")


def _value_text(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
