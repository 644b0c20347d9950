"""A workspace of Amazon Managed Service for Prometheus."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::APS::Workspace"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    amp = aws.client("amp")
    tags = {tag["Key"]: tag["Value"] for tag in wanted.tags()}
    alias = {"alias": wanted.properties["Alias"]} if "Alias" in wanted.properties else {}
    workspace = amp.create_workspace(**alias, tags=tags)
    if "AlertManagerDefinition" in wanted.properties:
        definition = wanted.properties["AlertManagerDefinition"].encode()
        amp.create_alert_manager_definition(workspaceId=workspace["workspaceId"], data=definition)
    described = amp.describe_workspace(workspaceId=workspace["workspaceId"])["workspace"]
    attributes = {
        "Arn": workspace["arn"],
        "WorkspaceId": workspace["workspaceId"],
        "PrometheusEndpoint": described["prometheusEndpoint"],
    }
    return Made(workspace["arn"], attributes)


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Call it something else, and write the definition anew."""
    workspace, amp = made.attributes["WorkspaceId"], aws.client("amp")
    amp.update_workspace_alias(workspaceId=workspace, alias=wanted.properties.get("Alias", ""))
    former = made.wanted.properties.get("AlertManagerDefinition") if made.wanted else None
    definition = wanted.properties.get("AlertManagerDefinition")
    if definition is None and former is not None:
        amp.delete_alert_manager_definition(workspaceId=workspace)
    elif definition is not None:
        put = amp.create_alert_manager_definition if former is None else amp.put_alert_manager_definition
        put(workspaceId=workspace, data=definition.encode())
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it, and every metric in it."""
    aws.client("amp").delete_workspace(workspaceId=made.attributes["WorkspaceId"])
