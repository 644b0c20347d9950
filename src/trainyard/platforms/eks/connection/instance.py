"""The instance that is meant of an EKS cluster: it has no head node, and all of its nodes are instances."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from trainyard.catalog.instances import find
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.ec2 import images
from trainyard.edge.aws.eks import find_cluster
from trainyard.edge.aws.errors import NotAllowedError
from trainyard.edge.aws.nodes import kubernetes_instances, node_group_of
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.connect.target import Target, target_of

ROLE = "Kubernetes"
_GONE = ("shutting-down", "terminated")
# Names of images that EKS makes, and of Canonical's for it; Bottlerocket has no shell but that of the session.
# https://docs.aws.amazon.com/eks/latest/userguide/retrieve-ami-id.html and https://cloud-images.ubuntu.com/docs/aws/eks/
_SYSTEMS = {
    "amazon-eks-node-al2023-*": "alinux2023",
    "amazon-eks-node-*": "alinux2",
    "amazon-eks-gpu-node-*": "alinux2",
    "amazon-eks-arm64-node-*": "alinux2",
    "ubuntu-eks/*20.04*": "ubuntu2004",
    "ubuntu-eks/*22.04*": "ubuntu2204",
    "ubuntu-eks/*24.04*": "ubuntu2404",
}


def eks_target(account: Account, cluster: str, name: str | None) -> Target | None:
    """Return an instance by its id, address or the name of its node, or by its node group the newest that runs.

    Where none is named, it is the newest that runs, one with accelerators before any other. None where the cluster is
    none of EKS, or the instance is not one of its nodes. Raises InputError for a name that no node has, TrainyardError
    where no node is there at all.
    """
    described = [
        kubernetes_instance
        for kubernetes_instance in kubernetes_instances(account, cluster)
        if kubernetes_instance["State"]["Name"] not in _GONE
    ]
    if not described:
        _refuse_empty(account, cluster)
        return None
    newest = sorted(described, key=_running_and_new, reverse=True)
    if name is None:
        running = [instance for instance in newest if instance["State"]["Name"] == "running"] or newest
        chosen = next((instance for instance in running if _has_accelerators(instance)), running[0])
        return _target(account, cluster, chosen)
    named = [instance for instance in newest if _is_called(instance, name)]
    if named:
        return _target(account, cluster, named[0])
    if name.startswith("i-"):
        return None
    groups = ", ".join(sorted({group for instance in newest if (group := node_group_of(instance)) is not None}))
    hint = f"it has the node groups {groups or 'of nobody'}; `kubectl get nodes` lists the nodes"
    raise InputError(f"{cluster} has no node {name!r}", where="--node", hint=hint)


def _refuse_empty(account: Account, cluster: str) -> None:
    """Raise TrainyardError where it is a cluster of EKS; who may not ask does not get to know."""
    try:
        if find_cluster(account, cluster) is None:
            return
    except NotAllowedError:
        return
    raise TrainyardError(
        f"no node of {cluster} is there: none of its node groups has an instance",
        where=cluster,
        hint=f"`trainyard status {cluster} --region {account.region}` says how many there are to be, and why none came",
    )


def _running_and_new(described: Mapping[str, Any]) -> tuple[bool, str]:
    return described["State"]["Name"] == "running", str(described.get("LaunchTime", ""))


def _has_accelerators(described: Mapping[str, Any]) -> bool:
    facts = find(described["InstanceType"])
    return facts is not None and facts.accelerators is not None


def _is_called(described: Mapping[str, Any], name: str) -> bool:
    """Return whether an instance goes by a name: nodes are called after its address, or after its id."""
    host = described.get("PrivateDnsName", "").partition(".")[0]
    names = {described["InstanceId"], described.get("PrivateIpAddress"), host, node_group_of(described)} - {None, ""}
    return bool(names & {name, name.partition(".")[0]})


def _target(account: Account, cluster: str, described: Mapping[str, Any]) -> Target:
    target = target_of(cluster, described)
    return target._replace(role=ROLE, os=target.os or _system(account, described.get("ImageId", "")))


def _system(account: Account, image: str) -> str | None:
    """Return the operating system of an image; None where its name does not say, or nobody may look at it."""
    try:
        images_by_id = images(account, (image,)) if image else {}
    except TrainyardError:
        return None
    name = str(images_by_id.get(image, {}).get("Name", ""))
    return next((system for glob, system in _SYSTEMS.items() if fnmatchcase(name, glob)), None)
