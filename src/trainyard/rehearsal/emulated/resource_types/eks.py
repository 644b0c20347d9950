"""Amazon EKS: clusters, node groups and who may enter."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError, ResourceType


def _create_cluster(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    request = _request("CreateCluster", resource)
    cluster = aws.client("eks").create_cluster(**{"name": resource.name[-100:], **request})["cluster"]
    attributes = {
        "Arn": cluster["arn"],
        "Endpoint": cluster["endpoint"],
        "CertificateAuthorityData": cluster["certificateAuthority"]["data"],
        "ClusterSecurityGroupId": cluster["resourcesVpcConfig"]["clusterSecurityGroupId"],
        "OpenIdConnectIssuerUrl": cluster["identity"]["oidc"]["issuer"],
    }
    return PhysicalResource(cluster["name"], attributes)


def _update_cluster(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change what can be changed, one kind of thing a call, as EKS wants it."""
    eks = aws.client("eks")
    request = _request("UpdateClusterConfig", resource)
    for part in ("resourcesVpcConfig", "accessConfig", "logging"):
        if part in request:
            eks.update_cluster_config(name=physical.id, **{part: request[part]})
    return physical


def _delete_cluster(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it. EKS refuses while it has node groups."""
    aws.client("eks").delete_cluster(name=physical.id)


def _request(action: str, resource: LogicalResource) -> dict[str, Any]:
    properties = {key: value for key, value in resource.properties.items() if key not in ("Tags", "Logging") and value}
    request = in_words_of_api("eks", action, properties)
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    types = [
        log_type["Type"]
        for log_type in resource.properties.get("Logging", {}).get("ClusterLogging", {}).get("EnabledTypes", ())
    ]
    logging = {"logging": {"clusterLogging": [{"types": types, "enabled": True}]}} if types else {}
    return {**request, **logging, **({"tags": tags} if action == "CreateCluster" else {})}


def _create_nodegroup(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and look whether its nodes came up."""
    eks, request = aws.client("eks"), in_words_of_api("eks", "CreateNodegroup", resource.properties)
    request.setdefault("nodegroupName", resource.name[-63:])
    where = {"clusterName": request["clusterName"], "nodegroupName": request["nodegroupName"]}
    arn = eks.create_nodegroup(**request)["nodegroup"]["nodegroupArn"]
    names = {"Arn": arn, "ClusterName": where["clusterName"], "NodegroupName": where["nodegroupName"]}
    physical = PhysicalResource(f"{where['clusterName']}/{where['nodegroupName']}", names)
    issues = eks.describe_nodegroup(**where)["nodegroup"]["health"]["issues"]
    if issues:
        raise ResourceError(_failure_text(issues), physical)
    return physical


def _update_nodegroup(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change sizes, labels, taints and repair."""
    request = in_words_of_api("eks", "UpdateNodegroupConfig", resource.properties)
    former = physical.logical.properties if physical.logical is not None else {}
    labels = resource.properties.get("Labels", {})
    gone = [key for key in former.get("Labels", {}) if key not in labels]
    changes = {"addOrUpdateLabels": labels, "removeLabels": gone}
    taints = in_words_of_api("eks", "CreateNodegroup", {"Taints": resource.properties.get("Taints", [])})["taints"]
    kept_settings = {
        key: request[key] for key in ("scalingConfig", "updateConfig", "nodeRepairConfig") if key in request
    }
    cluster, _, name = physical.id.partition("/")
    aws.client("eks").update_nodegroup_config(
        clusterName=cluster, nodegroupName=name, labels=changes, taints={"addOrUpdateTaints": taints}, **kept_settings
    )
    return physical


def _delete_nodegroup(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with its nodes."""
    cluster, _, name = physical.id.partition("/")
    aws.client("eks").delete_nodegroup(clusterName=cluster, nodegroupName=name)


def _failure_text(issues: list[Mapping[str, Any]]) -> str:
    """Return how CloudFormation tells of a node group that failed.

    https://github.com/aws-samples/amazon-eks-ami-rhel/issues/11
    """
    messages = ", ".join(
        f"Issue(Code={issue['code']}, Message={issue['message']}, ResourceIds=[{', '.join(issue['resourceIds'])}])"
        for issue in issues
    )
    return (
        f'Resource handler returned message: "[{messages}] (Service: null, Status Code: 0, Request ID: null)" '
        f"(RequestToken: {uuid.uuid4()}, HandlerErrorCode: GeneralServiceException)"
    )


def _create_access_entry(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    properties = {key: value for key, value in resource.properties.items() if key != "Tags"}
    request = in_words_of_api("eks", "CreateAccessEntry", properties)
    eks = aws.client("eks")
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    arn = eks.create_access_entry(**request, tags=tags)["accessEntry"]["accessEntryArn"]
    who = {"clusterName": request["clusterName"], "principalArn": request["principalArn"]}
    for policy in _policies(resource):
        eks.associate_access_policy(**who, **policy)
    return PhysicalResource(f"{who['principalArn']}|{who['clusterName']}", {"AccessEntryArn": arn})


def _delete_access_entry(aws: Aws, physical: PhysicalResource) -> None:
    who, _, cluster = physical.id.partition("|")
    aws.client("eks").delete_access_entry(clusterName=cluster, principalArn=who)


def _policies(resource: LogicalResource) -> list[dict[str, Any]]:
    written = resource.properties.get("AccessPolicies", ())
    return [in_words_of_api("eks", "AssociateAccessPolicy", dict(policy)) for policy in written]


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::EKS::Cluster": ResourceType(_create_cluster, _delete_cluster, _update_cluster),
    "AWS::EKS::Nodegroup": ResourceType(_create_nodegroup, _delete_nodegroup, _update_nodegroup),
    "AWS::EKS::AccessEntry": ResourceType(_create_access_entry, _delete_access_entry),
}
