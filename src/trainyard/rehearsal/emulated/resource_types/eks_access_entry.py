"""Somebody who may use the Kubernetes API of a cluster of Amazon EKS, with policies."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.batch.request_model import in_words_of_api
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::EKS::AccessEntry"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    properties = {key: value for key, value in resource.properties.items() if key != "Tags"}
    asked = in_words_of_api("eks", "CreateAccessEntry", properties)
    eks = aws.client("eks")
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    arn = eks.create_access_entry(**asked, tags=tags)["accessEntry"]["accessEntryArn"]
    who = {"clusterName": asked["clusterName"], "principalArn": asked["principalArn"]}
    for policy in _policies(resource):
        eks.associate_access_policy(**who, **policy)
    return PhysicalResource(f"{who['principalArn']}|{who['clusterName']}", {"AccessEntryArn": arn})


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    who, _, cluster = physical.id.partition("|")
    aws.client("eks").delete_access_entry(clusterName=cluster, principalArn=who)


def _policies(resource: LogicalResource) -> list[dict[str, Any]]:
    written = resource.properties.get("AccessPolicies", ())
    return [in_words_of_api("eks", "AssociateAccessPolicy", dict(one)) for one in written]
