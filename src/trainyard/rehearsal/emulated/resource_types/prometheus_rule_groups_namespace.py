"""Rules that a workspace of Amazon Managed Service for Prometheus evaluates."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::APS::RuleGroupsNamespace"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make them."""
    made = aws.client("amp").create_rule_groups_namespace(
        workspaceId=_workspace(resource),
        name=resource.properties["Name"],
        data=resource.properties["Data"].encode(),
        tags={tag["Key"]: tag["Value"] for tag in resource.tags()},
    )
    return PhysicalResource(made["arn"], {"Arn": made["arn"]})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Write them anew."""
    aws.client("amp").put_rule_groups_namespace(
        workspaceId=_workspace(resource), name=resource.properties["Name"], data=resource.properties["Data"].encode()
    )
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete them. They went before where their workspace did."""
    assert physical.logical is not None  # noqa: S101  # the engine fills it in
    workspace, client = _workspace(physical.logical), aws.client("amp")
    if workspace in [workspace["workspaceId"] for workspace in client.list_workspaces()["workspaces"]]:
        client.delete_rule_groups_namespace(workspaceId=workspace, name=physical.logical.properties["Name"])


def _workspace(resource: LogicalResource) -> str:
    return str(resource.properties["Workspace"]).rpartition("/")[2]
