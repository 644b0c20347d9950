"""Amazon EKS: clusters, their node groups, add-ons and updates, as AWS describes them. Asks only.

https://docs.aws.amazon.com/eks/latest/APIReference/API_Cluster.html
https://docs.aws.amazon.com/eks/latest/APIReference/API_Nodegroup.html
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages
from trainyard.edge.aws.errors import NO_ENTITY

_MISSING = ("ResourceNotFoundException",)


class HealthIssue(NamedTuple):
    """What EKS finds wrong."""

    code: str
    """Such as AsgInstanceLaunchFailures."""
    message: str
    resources: tuple[str, ...]
    """Ids of what is affected: instances, subnets, node names."""


class EksCluster(NamedTuple):
    """A cluster."""

    name: str
    arn: str
    status: str
    """CREATING, ACTIVE, DELETING, FAILED, UPDATING or PENDING."""
    version: str
    """The minor version of Kubernetes, such as 1.35."""
    endpoint: str
    """URL of the API server; empty until there is one."""
    certificate_authority: str
    """The certificate that the API server shows, in base64."""
    tags: Mapping[str, str]
    created: datetime | None
    subnets: tuple[str, ...]
    security_groups: tuple[str, ...]
    """Those that were given to it, and last the one that EKS has made."""
    vpc: str
    endpoint_public: bool
    endpoint_private: bool
    public_cidrs: tuple[str, ...]
    """Who may reach a public endpoint."""
    logs: tuple[str, ...]
    """Kinds of logs of the control plane that are switched on."""
    key: str
    """ARN of the key that encrypts secrets; empty for that of AWS."""
    health: tuple[HealthIssue, ...]
    issuer: str
    """URL of who vouches for its service accounts; empty until there is one."""


class NodeGroupState(NamedTuple):
    """A managed node group."""

    name: str
    arn: str
    status: str
    """CREATING, ACTIVE, UPDATING, DELETING, CREATE_FAILED, DELETE_FAILED or DEGRADED."""
    version: str
    capacity_type: str
    """ON_DEMAND, SPOT or CAPACITY_BLOCK."""
    min_nodes: int
    desired_nodes: int
    max_nodes: int
    instance_types: tuple[str, ...]
    """Empty where the launch template says."""
    subnets: tuple[str, ...]
    role: str
    labels: Mapping[str, str]
    taints: tuple[tuple[str, str, str], ...]
    """Key, value and effect as EKS writes it: NO_SCHEDULE."""
    tags: Mapping[str, str]
    scaling_groups: tuple[str, ...]
    """Names of its groups of EC2 Auto Scaling."""
    launch_template: tuple[str, str] | None
    """Its id and version."""
    health: tuple[HealthIssue, ...]
    created: datetime | None
    image_type: str = ""
    """Such as AL2023_x86_64_NVIDIA, or CUSTOM where the launch template names the image."""
    is_repaired: bool = False
    """Whether EKS replaces nodes that it finds unhealthy."""


class Addon(NamedTuple):
    """An add-on that EKS looks after."""

    name: str
    version: str
    status: str
    """CREATING, ACTIVE, CREATE_FAILED, UPDATING, DELETING, DELETE_FAILED, DEGRADED or UPDATE_FAILED."""
    health: tuple[HealthIssue, ...]
    configuration: str = ""
    """The values that it was given, JSON or YAML; empty for none."""
    has_role: bool = False
    """Whether its service accounts have roles, by EKS Pod Identity or by the OIDC provider of the cluster."""


class Update(NamedTuple):
    """A change that EKS makes, or has made."""

    id: str
    kind: str
    """VersionUpdate, ConfigUpdate, AddonUpdate and the like."""
    status: str
    """InProgress, Failed, Cancelled or Successful."""
    created: datetime | None
    errors: tuple[str, ...]


def find_cluster(account: Account, name: str) -> EksCluster | None:
    """Return a cluster by its name, None where there is none.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    answer = call(account, "eks", "describe_cluster", none_if=_MISSING, name=name)
    return None if answer is None else _cluster(answer["cluster"])


def has_identity_provider(account: Account, cluster: EksCluster) -> bool:
    """Return whether IAM knows the OIDC provider of a cluster.

    https://docs.aws.amazon.com/eks/latest/userguide/enable-iam-roles-for-service-accounts.html
    """
    _, partition, _, _, number, _ = cluster.arn.split(":", 5)
    arn = f"arn:{partition}:iam::{number}:oidc-provider/{cluster.issuer.removeprefix('https://')}"
    operation = "get_open_id_connect_provider"
    return call(account, "iam", operation, none_if=NO_ENTITY, OpenIDConnectProviderArn=arn) is not None


def node_groups(account: Account, cluster: str) -> tuple[NodeGroupState, ...]:
    """Return the managed node groups of a cluster, by their names; none where the cluster is gone."""
    names = sorted(pages(account, "eks", "list_nodegroups", "nodegroups", none_if=_MISSING, clusterName=cluster))
    groups = (find_node_group(account, cluster, name) for name in names)
    return tuple(group for group in groups if group is not None)


def find_node_group(account: Account, cluster: str, name: str) -> NodeGroupState | None:
    """Return a node group, None where there is none."""
    place = {"clusterName": cluster, "nodegroupName": name}
    answer = call(account, "eks", "describe_nodegroup", none_if=_MISSING, **place)
    return None if answer is None else _node_group(answer["nodegroup"])


def addons(account: Account, cluster: str) -> tuple[Addon, ...]:
    """Return the add-ons of a cluster, by their names; none where the cluster is gone."""
    names = sorted(pages(account, "eks", "list_addons", "addons", none_if=_MISSING, clusterName=cluster))
    answers = (
        call(account, "eks", "describe_addon", none_if=_MISSING, clusterName=cluster, addonName=name) for name in names
    )
    return tuple(_addon(answer["addon"]) for answer in answers if answer is not None)


def updates(account: Account, cluster: str, *, node_group: str | None = None) -> tuple[Update, ...]:
    """Return the updates of a cluster, or of one of its node groups, the newest first."""
    place = {"name": cluster, **({} if node_group is None else {"nodegroupName": node_group})}
    ids = pages(account, "eks", "list_updates", "updateIds", **place)
    described = [_update(call(account, "eks", "describe_update", updateId=id_, **place)["update"]) for id_ in ids]
    return tuple(sorted(described, key=lambda update: str(update.created), reverse=True))


def administrators(account: Account, cluster: str) -> tuple[str, ...]:
    """Return the ARNs that have an access entry: people, roles of nodes and of AWS's own services."""
    return pages(account, "eks", "list_access_entries", "accessEntries", none_if=_MISSING, clusterName=cluster)


def pod_identities(account: Account, cluster: str) -> frozenset[tuple[str, str]]:
    """Return the namespaces and names of the service accounts that have a role by EKS Pod Identity."""
    operation, place = "list_pod_identity_associations", {"clusterName": cluster}
    associations = pages(account, "eks", operation, "associations", none_if=_MISSING, **place)
    return frozenset((association["namespace"], association["serviceAccount"]) for association in associations)


def offered_versions(account: Account) -> tuple[str, ...]:
    """Return the versions of Kubernetes that EKS makes clusters of, such as 1.36, in standard and in extended support.

    https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeClusterVersions.html
    """
    versions = pages(account, "eks", "describe_cluster_versions", "clusterVersions")
    return tuple(str(version["clusterVersion"]) for version in versions)


def _cluster(described: Mapping[str, Any]) -> EksCluster:
    network = described.get("resourcesVpcConfig", {})
    keys = [entry.get("provider", {}).get("keyArn", "") for entry in described.get("encryptionConfig") or ()]
    logging = described.get("logging", {}).get("clusterLogging", ())
    security_group = network.get("clusterSecurityGroupId")
    return EksCluster(
        described["name"],
        described["arn"],
        described.get("status", ""),
        described.get("version", ""),
        described.get("endpoint") or "",
        described.get("certificateAuthority", {}).get("data") or "",
        dict(described.get("tags") or {}),
        described.get("createdAt"),
        tuple(network.get("subnetIds", ())),
        (*network.get("securityGroupIds", ()), *((security_group,) if security_group else ())),
        network.get("vpcId", ""),
        bool(network.get("endpointPublicAccess", True)),
        bool(network.get("endpointPrivateAccess", False)),
        tuple(network.get("publicAccessCidrs", ())),
        tuple(kind for entry in logging if entry.get("enabled") for kind in entry.get("types", ())),
        next((key for key in keys if key), ""),
        _issues(described),
        described.get("identity", {}).get("oidc", {}).get("issuer", ""),
    )


def _node_group(described: Mapping[str, Any]) -> NodeGroupState:
    sizes = described.get("scalingConfig", {})
    template = described.get("launchTemplate") or {}
    return NodeGroupState(
        described["nodegroupName"],
        described["nodegroupArn"],
        described.get("status", ""),
        described.get("version", ""),
        described.get("capacityType", ""),
        sizes.get("minSize", 0),
        sizes.get("desiredSize", 0),
        sizes.get("maxSize", 0),
        tuple(described.get("instanceTypes") or ()),
        tuple(described.get("subnets") or ()),
        described.get("nodeRole", ""),
        dict(described.get("labels") or {}),
        tuple(
            (taint.get("key", ""), taint.get("value", ""), taint.get("effect", ""))
            for taint in described.get("taints") or ()
        ),
        dict(described.get("tags") or {}),
        tuple(group["name"] for group in described.get("resources", {}).get("autoScalingGroups") or ()),
        (template["id"], str(template.get("version", ""))) if "id" in template else None,
        _issues(described),
        described.get("createdAt"),
        described.get("amiType", ""),
        bool((described.get("nodeRepairConfig") or {}).get("enabled")),
    )


def _addon(described: Mapping[str, Any]) -> Addon:
    return Addon(
        described["addonName"],
        described.get("addonVersion", ""),
        described.get("status", ""),
        _issues(described),
        described.get("configurationValues") or "",
        bool(described.get("podIdentityAssociations") or described.get("serviceAccountRoleArn")),
    )


def _update(described: Mapping[str, Any]) -> Update:
    errors = [
        f"{error.get('errorCode', '')}: {error.get('errorMessage', '')}" for error in described.get("errors") or ()
    ]
    return Update(
        described["id"],
        described.get("type", ""),
        described.get("status", ""),
        described.get("createdAt"),
        tuple(errors),
    )


def _issues(described: Mapping[str, Any]) -> tuple[HealthIssue, ...]:
    issues = (described.get("health") or {}).get("issues") or ()
    return tuple(
        HealthIssue(issue.get("code", ""), issue.get("message", ""), tuple(issue.get("resourceIds") or ()))
        for issue in issues
    )
