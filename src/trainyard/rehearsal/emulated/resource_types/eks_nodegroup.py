"""A managed node group of Amazon EKS. It is made once its first nodes are, and fails with the words of EKS."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceError

TYPE = "AWS::EKS::Nodegroup"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it, and look whether its nodes came up."""
    eks, asked = aws.client("eks"), in_words_of_api("eks", "CreateNodegroup", resource.properties)
    asked.setdefault("nodegroupName", resource.name[-63:])
    where = {"clusterName": asked["clusterName"], "nodegroupName": asked["nodegroupName"]}
    arn = eks.create_nodegroup(**asked)["nodegroup"]["nodegroupArn"]
    names = {"Arn": arn, "ClusterName": where["clusterName"], "NodegroupName": where["nodegroupName"]}
    made = PhysicalResource(f"{where['clusterName']}/{where['nodegroupName']}", names)
    issues = eks.describe_nodegroup(**where)["nodegroup"]["health"]["issues"]
    if issues:
        raise ResourceError(_said(issues), made)
    return made


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change sizes, labels, taints and repair."""
    asked = in_words_of_api("eks", "UpdateNodegroupConfig", resource.properties)
    former = physical.logical.properties if physical.logical is not None else {}
    labels = resource.properties.get("Labels", {})
    gone = [key for key in former.get("Labels", {}) if key not in labels]
    changes = {"addOrUpdateLabels": labels, "removeLabels": gone}
    taints = in_words_of_api("eks", "CreateNodegroup", {"Taints": resource.properties.get("Taints", [])})["taints"]
    kept = {key: asked[key] for key in ("scalingConfig", "updateConfig", "nodeRepairConfig") if key in asked}
    cluster, _, name = physical.id.partition("/")
    aws.client("eks").update_nodegroup_config(
        clusterName=cluster, nodegroupName=name, labels=changes, taints={"addOrUpdateTaints": taints}, **kept
    )
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it with its nodes."""
    cluster, _, name = physical.id.partition("/")
    aws.client("eks").delete_nodegroup(clusterName=cluster, nodegroupName=name)


def _said(issues: list[Mapping[str, Any]]) -> str:
    """Return how CloudFormation tells of a node group that failed.

    https://github.com/aws-samples/amazon-eks-ami-rhel/issues/11
    """
    told = ", ".join(
        f"Issue(Code={issue['code']}, Message={issue['message']}, ResourceIds=[{', '.join(issue['resourceIds'])}])"
        for issue in issues
    )
    return (
        f'Resource handler returned message: "[{told}] (Service: null, Status Code: 0, Request ID: null)" '
        f"(RequestToken: {uuid.uuid4()}, HandlerErrorCode: GeneralServiceException)"
    )
