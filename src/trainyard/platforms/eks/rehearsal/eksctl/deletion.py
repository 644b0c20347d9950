"""How eksctl deletes a cluster: node groups, what has roles, the provider of identities, and the control plane last."""

from __future__ import annotations

from collections.abc import Callable

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.platforms.eks.rehearsal.eksctl import names
from trainyard.platforms.eks.rehearsal.eksctl.stacks import Stacks, eksctl_refusal


def delete_cluster(account: Account, stacks: Stacks, name: str, say: Callable[[str], None]) -> None:
    """Delete everything that eksctl has made for a cluster. Raises EksctlRefusedError where something stays."""
    mine, last = stacks.names(), names.cluster_stack(name)
    if not mine:
        raise eksctl_refusal("delete", [f'no eksctl-managed CloudFormation stacks found for "{name}"'])
    groups = [stack for stack in mine if stack.startswith(names.group_stack(name, ""))]
    for stack in groups:
        stacks.delete(stack)
    _delete_pod_identities(account, name)
    _delete_provider(account, name)
    for stack in mine:
        if stack not in groups and stack != last:
            stacks.delete(stack)
    if last in mine:
        stacks.delete(last)
    say("all cluster resources were deleted")


def delete_group(account: Account, stacks: Stacks, cluster: str, name: str) -> None:
    """Delete a node group with its stack; one that has none goes by a call."""
    stack = names.group_stack(cluster, name)
    if stack in stacks.names():
        stacks.delete(stack)
        return
    try:
        account.client("eks").delete_nodegroup(clusterName=cluster, nodegroupName=name)
    except ClientError as error:
        raise eksctl_refusal("delete", [str(error)]) from error


def _delete_pod_identities(account: Account, name: str) -> None:
    """Let go of the associations: those of add-ons go with these."""
    eks = account.client("eks")
    try:
        associations = eks.list_pod_identity_associations(clusterName=name)["associations"]
    except ClientError:
        return  # there is no such cluster any more
    for association in associations:
        if "ownerArn" not in association:
            eks.delete_pod_identity_association(clusterName=name, associationId=association["associationId"])


def _delete_provider(account: Account, name: str) -> None:
    try:
        cluster = account.client("eks").describe_cluster(name=name)["cluster"]
    except ClientError:
        return
    host = cluster["identity"]["oidc"]["issuer"].removeprefix("https://")
    iam = account.client("iam")
    for provider in iam.list_open_id_connect_providers()["OpenIDConnectProviderList"]:
        if provider["Arn"].endswith(f"oidc-provider/{host}"):
            iam.delete_open_id_connect_provider(OpenIDConnectProviderArn=provider["Arn"])
