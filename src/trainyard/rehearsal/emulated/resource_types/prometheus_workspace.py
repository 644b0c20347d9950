"""A workspace of Amazon Managed Service for Prometheus."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::APS::Workspace"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    amp = aws.client("amp")
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    alias = {"alias": resource.properties["Alias"]} if "Alias" in resource.properties else {}
    workspace = amp.create_workspace(**alias, tags=tags)
    if "AlertManagerDefinition" in resource.properties:
        definition = resource.properties["AlertManagerDefinition"].encode()
        amp.create_alert_manager_definition(workspaceId=workspace["workspaceId"], data=definition)
    described = amp.describe_workspace(workspaceId=workspace["workspaceId"])["workspace"]
    attributes = {
        "Arn": workspace["arn"],
        "WorkspaceId": workspace["workspaceId"],
        "PrometheusEndpoint": described["prometheusEndpoint"],
    }
    return PhysicalResource(workspace["arn"], attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Call it something else, and write the definition anew."""
    workspace, amp = physical.attributes["WorkspaceId"], aws.client("amp")
    amp.update_workspace_alias(workspaceId=workspace, alias=resource.properties.get("Alias", ""))
    former = physical.logical.properties.get("AlertManagerDefinition") if physical.logical else None
    definition = resource.properties.get("AlertManagerDefinition")
    if definition is None and former is not None:
        amp.delete_alert_manager_definition(workspaceId=workspace)
    elif definition is not None:
        put = amp.create_alert_manager_definition if former is None else amp.put_alert_manager_definition
        put(workspaceId=workspace, data=definition.encode())
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, and every metric in it."""
    aws.client("amp").delete_workspace(workspaceId=physical.attributes["WorkspaceId"])
