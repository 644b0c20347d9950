"""Add-ons and roles of service accounts: a stack for each role, and calls for the rest.

https://github.com/eksctl-io/eksctl/blob/main/pkg/actions/addon/tasks.go
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import ClientError

from trainyard.catalog.partition import partition_of
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.eks import addons as installed_addons
from trainyard.platforms.eks.rehearsal.eksctl import names
from trainyard.platforms.eks.rehearsal.eksctl.stacks import ROLE, Stacks, eksctl_refusal, role_template
from trainyard.platforms.eks.rehearsal.emulated_kubectl import EmulatedKubectl
from trainyard.platforms.eks.rendering.names import EFA_PLUGIN

# Without them, nodes do not become ready: they come before the node groups, the others after them.
_BEFORE_NODES = ("vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent")
_LABELS = {"name": "aws-efa-k8s-device-plugin"}
# An image of its own, so that it does not pass for the one of the manifests.
_IMAGE = "eksctl/efa-plugin-of-eksctl:old"


def split(addons: Iterable[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """Return the add-ons that are made before node groups, and those after them."""
    every = list(addons)
    first = [addon for addon in every if addon["name"] in _BEFORE_NODES]
    return first, [addon for addon in every if addon not in first]


def make_addons(
    account: Account, config: Mapping[str, Any], stacks: Stacks, addons: Iterable[Mapping[str, Any]]
) -> None:
    """Make those that are not there or could not be made, each with its roles."""
    eks, cluster = account.client("eks"), config["metadata"]["name"]
    existing = {addon.name for addon in installed_addons(account, cluster) if addon.status != "CREATE_FAILED"}
    for addon in addons:
        if addon["name"] in existing:
            continue
        roles = _roles(account, config, stacks, addon)
        place = {"clusterName": cluster, "addonName": addon["name"]}
        try:
            eks.create_addon(**place, podIdentityAssociations=roles, **_settings(addon))
        except ClientError as error:
            raise eksctl_refusal("create", [f'failed to create "{addon["name"]}" addon: {error}']) from error


def update_addons(account: Account, config: Mapping[str, Any], stacks: Stacks) -> None:
    """Bring those that are there to the configuration; one that has no role and wants one gets it."""
    eks, cluster = account.client("eks"), config["metadata"]["name"]
    for addon in config.get("addons", ()):
        place = {"clusterName": cluster, "addonName": addon["name"]}
        existing = eks.describe_addon(**place)["addon"]
        roles = [] if existing["podIdentityAssociations"] else _roles(account, config, stacks, addon)
        eks.update_addon(**place, **_settings(addon), **({"podIdentityAssociations": roles} if roles else {}))


def make_pod_identities(account: Account, config: Mapping[str, Any], stacks: Stacks) -> None:
    """Make the role of each service account that has none, and let it take it."""
    eks, cluster = account.client("eks"), config["metadata"]["name"]
    associations = eks.list_pod_identity_associations(clusterName=cluster)["associations"]
    existing = {(association["namespace"], association["serviceAccount"]) for association in associations}
    for association in config.get("iam", {}).get("podIdentityAssociations", ()):
        who = (association["namespace"], association["serviceAccountName"])
        if who in existing:
            continue
        template = role_template(association["permissionPolicyARNs"], association.get("permissionsBoundaryARN"))
        outputs = stacks.make(names.role_stack(cluster, *who), template, _tags(config))
        eks.create_pod_identity_association(
            clusterName=cluster, namespace=who[0], serviceAccount=who[1], roleArn=outputs[ROLE]
        )


def delete_pod_identity(account: Account, stacks: Stacks, namespace: str, service_account: str) -> None:
    """Let a service account have no role, and delete the role."""
    eks, cluster = account.client("eks"), stacks.cluster
    place = {"clusterName": cluster, "namespace": namespace, "serviceAccount": service_account}
    for association in eks.list_pod_identity_associations(**place)["associations"]:
        eks.delete_pod_identity_association(clusterName=cluster, associationId=association["associationId"])
    if (stack := names.role_stack(cluster, namespace, service_account)) in stacks.names():
        stacks.delete(stack)


def install_efa_plugin(account: Account, cluster: str) -> None:
    """Apply the device plugin for EFA, as eksctl does itself with ``efaEnabled``, unless one of its name is there.

    https://github.com/eksctl-io/eksctl/blob/main/pkg/addons/assets/efa-device-plugin.yaml
    """
    endpoint = account.client("eks").describe_cluster(name=cluster)["cluster"]["endpoint"]
    kubectl = EmulatedKubectl(account, cluster, str(urlsplit(endpoint).hostname), "eksctl")
    namespace, name = EFA_PLUGIN
    existing = kubectl.get("daemonsets.apps", namespace=namespace)
    if all(daemon_set["metadata"]["name"] != name for daemon_set in existing):
        kubectl.apply([_daemon_set(namespace, name)])


def _settings(addon: Mapping[str, Any]) -> dict[str, str]:
    written = {"addonVersion": addon.get("version"), "configurationValues": addon.get("configurationValues")}
    return {key: value for key, value in written.items() if value is not None}


def _roles(
    account: Account, config: Mapping[str, Any], stacks: Stacks, addon: Mapping[str, Any]
) -> list[dict[str, str]]:
    """Make the roles that EKS recommends for an add-on, where they are wanted."""
    if not addon.get("useDefaultPodIdentityAssociations"):
        return []
    version = addon.get("version", "latest")
    described = account.client("eks").describe_addon_configuration(addonName=addon["name"], addonVersion=version)
    accounts = []
    for policy in described["podIdentityConfiguration"]:
        prefix = f"arn:{partition_of(account.region)}:iam::aws:policy/"
        template = role_template([f"{prefix}{name}" for name in policy["recommendedManagedPolicies"]])
        name = names.addon_role_stack(config["metadata"]["name"], addon["name"], policy["serviceAccount"])
        outputs = stacks.make(name, template, _tags(config))
        accounts.append({"serviceAccount": policy["serviceAccount"], "roleArn": outputs[ROLE]})
    return accounts


def _tags(config: Mapping[str, Any]) -> dict[str, str]:
    return names.stack_tags(config["metadata"]["name"], config["metadata"].get("tags", {}))


def _daemon_set(namespace: str, name: str) -> dict[str, Any]:
    container = {"name": "aws-efa-k8s-device-plugin", "image": _IMAGE}
    pod = {"tolerations": [{"key": "CriticalAddonsOnly", "operator": "Exists"}], "containers": [container]}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": _LABELS}, "template": {"metadata": {"labels": _LABELS}, "spec": pod}},
    }
