"""The instance that is meant: a node of the cluster by whatever it is called, or the instance of its monitoring."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import instance_by_id, instances_of_cluster
from trainyard.edge.aws.parallelcluster import instance_of_slurm_node
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.connect.monitoring_stack import monitoring_stack
from trainyard.operate.connect.target import HEAD, ROLES, UNKNOWN, Target, target_of
from trainyard.platform_table import PLATFORMS

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,127}")
# QUEUE-st-RESOURCE-1 and QUEUE-dy-RESOURCE-1:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
_SLURM_NAME = re.compile(r"[a-z0-9-]+-(?:st|dy)-[a-z0-9-]+-[0-9]+", re.IGNORECASE)
_INSTANCE = re.compile(r"i-[0-9a-f]{8,17}")
_GONE = ("terminated", "shutting-down")
_MOST_NAMED = 5


def find_target(account: Account, cluster: str, node: str | None) -> Target:
    """Return the instance that is meant; the head node where none is named.

    A node goes by its role (head, login, monitoring), its instance id, its address, its host name, or Slurm's name.
    Of a cluster of AWS Batch or Amazon EKS, which has no head node, it is the newest instance that runs.
    Raises InputError for a name that cannot be, or that no node has, TrainyardError where the cluster has no instance.
    """
    if not _NAME.fullmatch(cluster):
        hint = "letters, digits and hyphens, as `trainyard status` takes it"
        raise InputError(f"{cluster!r} is no name of a cluster", where="NAME", hint=hint)
    described = [
        instance for instance in instances_of_cluster(account, cluster) if instance["State"]["Name"] not in _GONE
    ]
    targets = sorted(
        (target_of(cluster, instance) for instance in described), key=lambda target: target.launched, reverse=True
    )
    name = node or HEAD
    if name == "monitoring":
        return _monitoring(account, cluster, targets)
    match = _by_role(ROLES[name], targets) if name in ROLES else _by_name(account, cluster, name, targets)
    if all(target.role == UNKNOWN for target in targets):
        match = _without_head(account, cluster, None if name == HEAD else name) or match
    if match is None:
        raise _missing(account, cluster, node, targets)
    return match


def _without_head(account: Account, cluster: str, node: str | None) -> Target | None:
    """Return an instance of a cluster whose platform has no head node; None where it is of none of those."""
    searches = (platform.find_node for platform in PLATFORMS.values() if platform.find_node is not None)
    targets = (search(account, cluster, node) for search in searches)
    return next((target for target in targets if target is not None), None)


def _by_role(role: str, targets: Sequence[Target]) -> Target | None:
    """Return one of a role: the newest that runs, or that there is."""
    of_role = [target for target in targets if target.role == role]
    return next((target for target in of_role if target.state == "running"), of_role[0] if of_role else None)


def _by_name(account: Account, cluster: str, name: str, targets: Sequence[Target]) -> Target | None:
    names = {name, name.partition(".")[0]}
    for target in targets:
        if names & {target.instance, target.private_address, target.public_address, target.host}:
            return target
    if _SLURM_NAME.fullmatch(name):
        instance = instance_of_slurm_node(account, cluster, name)
        return next((target for target in targets if target.instance == instance), None)
    # An instance of somebody else's monitoring has no tag of the cluster.
    return _instance(account, cluster, name) if _INSTANCE.fullmatch(name) else None


def _monitoring(account: Account, cluster: str, targets: Sequence[Target]) -> Target:
    """Return the instance of a self-hosted monitoring, also where the cluster's environment has it."""
    stack = monitoring_stack(account, cluster)
    instance = "" if stack is None else stack.outputs.get("MonitoringInstanceId", "")
    match = next((target for target in targets if target.instance == instance), None)
    if match is None and instance:
        match = _instance(account, cluster, instance)
    if match is None:
        hint = "only `monitoring.mode: self-hosting` has one; `trainyard status` says where the metrics are"
        raise InputError(f"{cluster} has no instance for its monitoring", where="--node", hint=hint)
    return match._replace(role=ROLES["monitoring"], os=match.os or "alinux2023")


def _instance(account: Account, cluster: str, instance: str) -> Target | None:
    described = instance_by_id(account, instance)
    return None if described is None or described["State"]["Name"] in _GONE else target_of(cluster, described)


def _missing(account: Account, cluster: str, node: str | None, targets: Sequence[Target]) -> TrainyardError:
    if not targets:
        problem = f"no instance of a cluster {cluster} is there in {account.region}"
        hint = "check the name, --region and --profile"
        return TrainyardError(problem, where=f"account {account.id}", hint=hint)
    if node is None or node in ROLES:
        role = {"login": "login node"}.get(node or HEAD, "head node")
        hint = f"`trainyard status {cluster} --region {account.region}` says how the cluster is"
        return TrainyardError(f"{cluster} has no {role}", where=cluster, hint=hint)
    named = ", ".join(f"{target.instance} ({target.role}, {target.host})" for target in targets[:_MOST_NAMED])
    more = f" and {len(targets) - _MOST_NAMED} more" if len(targets) > _MOST_NAMED else ""
    return InputError(f"{cluster} has no node {node!r}", where="--node", hint=f"it has {named}{more}")
