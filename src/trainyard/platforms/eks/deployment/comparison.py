"""How a cluster differs from its cluster.yaml: asked of AWS, part by part, and nothing is changed.

What a straight deployment makes and what a call that went on makes is the same where nothing is found here. The steps
repair what is found and compare again; a deployment that ends well has found nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_network
from typing import Any, Literal, NamedTuple

import yaml

from trainyard.deploy.work import Work
from trainyard.edge.aws import eks
from trainyard.edge.aws.control_plane_logs import find_log_group
from trainyard.edge.aws.eks import Addon, EksCluster, NodeGroupState
from trainyard.edge.aws.stacks import StackState
from trainyard.platforms.eks.deployment.config import desired_sizes, node_groups_of, sizes_of
from trainyard.platforms.eks.deployment.stacks import FAILED, access_stack, node_group_stack, role_stack
from trainyard.platforms.eks.rendering.names import SYSTEM

Part = Literal[
    "version", "settings", "identity provider", "missing add-on", "add-on without role", "stale add-on", "log group",
    "missing administrator", "former administrator", "missing role", "former role", "missing node group",
    "former node group", "size of node group", "version of node group",
]  # fmt: skip
_EVERYBODY = {"0.0.0.0/0"}


class Difference(NamedTuple):
    """Something that is not as cluster.yaml says."""

    part: Part
    name: str
    """Of the add-on, the principal's ARN, NAMESPACE/NAME of the service account, or of the node group."""
    text: str
    """What is wrong, for people."""


def differences(
    work: Work, config: Mapping[str, Any], cluster: EksCluster, own_stacks: tuple[StackState, ...]
) -> list[Difference]:
    """Return how everything but the node groups differs. Nobody may be at work on the stacks."""
    own_names = {stack.name for stack in own_stacks}
    return [
        *_control_plane(work, config, cluster),
        *_addons(work, config),
        *_log_group(work, config, cluster),
        *_administrators(work, config, own_names),
        *_roles(work, config, own_names),
    ]


def node_group_differences(
    work: Work, config: Mapping[str, Any], groups: tuple[NodeGroupState, ...], own_stacks: tuple[StackState, ...]
) -> Iterator[Difference]:
    """Yield how the node groups differ, without those that somebody else has added to the cluster.

    Nodes of queues keep their version of Kubernetes: they have jobs, and when they go, somebody has to say.
    """
    by_name, wanted = {group.name: group for group in groups}, node_groups_of(config)
    failed = {stack.name for stack in own_stacks if stack.status in FAILED}
    for name in wanted:
        group = by_name.get(name)
        if group is None or node_group_stack(work.name, name) in failed:
            yield Difference("missing node group", name, f"node group {name} is missing")
            continue
        sizes, existing = desired_sizes(work.required_spec(), config, group), sizes_of(group)
        if sizes != existing:
            text = f"node group {name} has {existing.least} to {existing.most} nodes, {existing.desired} desired"
            yield Difference("size of node group", name, text)
        if name == SYSTEM and group.version != config["metadata"]["version"]:
            yield Difference("version of node group", name, f"nodes of {name} have Kubernetes {group.version}")
    for group in groups:
        if group.name not in wanted and work.owns(group.tags):
            yield Difference("former node group", group.name, f"node group {group.name} is in no queue any more")


def texts_of(differences: Iterable[Difference]) -> Iterator[str]:
    """Yield a sentence for each, for who plans a deployment."""
    yield from (f"will be put right: {difference.text}" for difference in differences)


def _control_plane(work: Work, config: Mapping[str, Any], cluster: EksCluster) -> Iterator[Difference]:
    if cluster.version != config["metadata"]["version"]:
        yield Difference("version", cluster.name, f"the control plane has Kubernetes {cluster.version}")
    if _settings(cluster) != _wanted_settings(config):
        yield Difference("settings", cluster.name, "endpoint or logs of the control plane are other ones")
    if config["iam"].get("withOIDC") and not eks.has_identity_provider(work.account, cluster):
        yield Difference("identity provider", cluster.name, "IAM has no OIDC provider of the cluster")


def _addons(work: Work, config: Mapping[str, Any]) -> Iterator[Difference]:
    installed = {addon.name: addon for addon in eks.addons(work.account, work.name)}
    for expected in config["addons"]:
        name, addon = expected["name"], installed.get(expected["name"])
        # eksctl makes one that could not be made once more, and leaves all others as they are.
        # https://github.com/eksctl-io/eksctl/blob/main/pkg/actions/addon/create.go
        if addon is None or addon.status == "CREATE_FAILED":
            yield Difference("missing add-on", name, f"add-on {name} is missing")
        elif expected.get("useDefaultPodIdentityAssociations") and not addon.has_role:
            yield Difference("add-on without role", name, f"add-on {name} has no role")
        elif _is_stale(expected, addon):
            yield Difference("stale add-on", name, f"add-on {name} has another version or other values")


def _log_group(work: Work, config: Mapping[str, Any], cluster: EksCluster) -> Iterator[Difference]:
    group = find_log_group(work.account, cluster)
    if group is None:  # EKS makes it when there is something to log
        return
    days = config.get("cloudWatch", {}).get("clusterLogging", {}).get("logRetentionInDays")
    if group.tags.get(work.tag) != work.name:
        yield Difference("log group", group.name, f"log group {group.name} has no tag of the cluster")
    if days not in (None, group.retention_days):
        yield Difference("log group", group.name, f"log group {group.name} keeps logs for another time")


def _administrators(work: Work, config: Mapping[str, Any], own_names: set[str]) -> Iterator[Difference]:
    """Compare who administers the cluster. An entry and its rights are one stack: it has both or is none."""
    existing = eks.administrators(work.account, work.name)
    expected = [entry["principalARN"] for entry in config["accessConfig"].get("accessEntries", ())]
    for arn in expected:
        if arn not in existing:
            yield Difference("missing administrator", arn, f"{arn} does not administer the cluster")
    for arn in existing:
        if arn not in expected and access_stack(work.name, arn) in own_names:
            yield Difference("former administrator", arn, f"{arn} administers the cluster still")


def _roles(work: Work, config: Mapping[str, Any], own_names: set[str]) -> Iterator[Difference]:
    existing = eks.pod_identities(work.account, work.name)
    expected = {
        (identity["namespace"], identity["serviceAccountName"])
        for identity in config["iam"].get("podIdentityAssociations", ())
    }
    for namespace, account in sorted(expected - existing):
        yield Difference("missing role", f"{namespace}/{account}", f"{namespace}/{account} has no role")
    for namespace, account in sorted(existing - expected):
        if role_stack(work.name, namespace, account) in own_names:
            yield Difference("former role", f"{namespace}/{account}", f"{namespace}/{account} has a role still")


def _is_stale(expected: Mapping[str, Any], installed: Addon) -> bool:
    """Return whether an add-on that is there has another version or other values. EKS's own choice is left to it."""
    # eksctl takes the newest version that has the wanted one in it, so that …eksbuild.1 may come as …eksbuild.12.
    # https://github.com/eksctl-io/eksctl/pull/8478 ended that in 0.214.0, and #8510 wants to end it once more.
    version = expected.get("version")
    if version not in (None, "latest") and version not in installed.version:
        return True
    values = expected.get("configurationValues")
    return values is not None and _values(values) != _values(installed.configuration)


def _values(text: str) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return yaml.load(text, Loader=yaml.CSafeLoader)


def _settings(cluster: EksCluster) -> tuple[Any, ...]:
    ranges = _networks(cluster.public_cidrs) if cluster.endpoint_public else set()
    return cluster.endpoint_public, cluster.endpoint_private, ranges or _EVERYBODY, set(cluster.logs)


def _wanted_settings(config: Mapping[str, Any]) -> tuple[Any, ...]:
    endpoints = config["vpc"].get("clusterEndpoints", {})
    is_public = endpoints.get("publicAccess", True)
    ranges = _networks(config["vpc"].get("publicAccessCIDRs", ())) if is_public else set()
    logs = config.get("cloudWatch", {}).get("clusterLogging", {}).get("enableTypes", ())
    return is_public, endpoints.get("privateAccess", False), ranges or _EVERYBODY, set(logs)


def _networks(ranges: tuple[str, ...] | list[str]) -> set[str]:
    return {str(ip_network(text, strict=False)) for text in ranges}
