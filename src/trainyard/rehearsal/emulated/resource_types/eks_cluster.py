"""A cluster of Amazon EKS: its control plane alone."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EKS::Cluster"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    asked = _asked("CreateCluster", resource)
    made = aws.client("eks").create_cluster(**{"name": resource.name[-100:], **asked})["cluster"]
    attributes = {
        "Arn": made["arn"],
        "Endpoint": made["endpoint"],
        "CertificateAuthorityData": made["certificateAuthority"]["data"],
        "ClusterSecurityGroupId": made["resourcesVpcConfig"]["clusterSecurityGroupId"],
        "OpenIdConnectIssuerUrl": made["identity"]["oidc"]["issuer"],
    }
    return PhysicalResource(made["name"], attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change what can be changed, one kind of thing a call, as EKS wants it."""
    eks = aws.client("eks")
    asked = _asked("UpdateClusterConfig", resource)
    for part in ("resourcesVpcConfig", "accessConfig", "logging"):
        if part in asked:
            eks.update_cluster_config(name=physical.id, **{part: asked[part]})
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it. EKS refuses while it has node groups."""
    aws.client("eks").delete_cluster(name=physical.id)


def _asked(action: str, resource: LogicalResource) -> dict[str, Any]:
    properties = {key: value for key, value in resource.properties.items() if key not in ("Tags", "Logging") and value}
    asked = in_words_of_api("eks", action, properties)
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    types = [
        one["Type"] for one in resource.properties.get("Logging", {}).get("ClusterLogging", {}).get("EnabledTypes", ())
    ]
    logging = {"logging": {"clusterLogging": [{"types": types, "enabled": True}]}} if types else {}
    return {**asked, **logging, **({"tags": tags} if action == "CreateCluster" else {})}
