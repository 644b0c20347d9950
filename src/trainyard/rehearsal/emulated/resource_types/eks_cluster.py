"""A cluster of Amazon EKS: its control plane alone."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::EKS::Cluster"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    asked = _asked("CreateCluster", wanted)
    made = aws.client("eks").create_cluster(**{"name": wanted.name[-100:], **asked})["cluster"]
    attributes = {
        "Arn": made["arn"],
        "Endpoint": made["endpoint"],
        "CertificateAuthorityData": made["certificateAuthority"]["data"],
        "ClusterSecurityGroupId": made["resourcesVpcConfig"]["clusterSecurityGroupId"],
        "OpenIdConnectIssuerUrl": made["identity"]["oidc"]["issuer"],
    }
    return Made(made["name"], attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change what can be changed, one kind of thing a call, as EKS wants it."""
    eks = aws.client("eks")
    asked = _asked("UpdateClusterConfig", wanted)
    for part in ("resourcesVpcConfig", "accessConfig", "logging"):
        if part in asked:
            eks.update_cluster_config(name=made.id, **{part: asked[part]})
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it. EKS refuses while it has node groups."""
    aws.client("eks").delete_cluster(name=made.id)


def _asked(action: str, wanted: Wanted) -> dict[str, Any]:
    properties = {key: value for key, value in wanted.properties.items() if key not in ("Tags", "Logging") and value}
    asked = in_words_of_api("eks", action, properties)
    tags = {tag["Key"]: tag["Value"] for tag in wanted.tags()}
    types = [
        one["Type"] for one in wanted.properties.get("Logging", {}).get("ClusterLogging", {}).get("EnabledTypes", ())
    ]
    logging = {"logging": {"clusterLogging": [{"types": types, "enabled": True}]}} if types else {}
    return {**asked, **logging, **({"tags": tags} if action == "CreateCluster" else {})}
