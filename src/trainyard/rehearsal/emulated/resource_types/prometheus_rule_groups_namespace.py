"""Rules that a workspace of Amazon Managed Service for Prometheus evaluates."""

from __future__ import annotations

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::APS::RuleGroupsNamespace"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make them."""
    made = aws.client("amp").create_rule_groups_namespace(
        workspaceId=_workspace(wanted),
        name=wanted.properties["Name"],
        data=wanted.properties["Data"].encode(),
        tags={tag["Key"]: tag["Value"] for tag in wanted.tags()},
    )
    return Made(made["arn"], {"Arn": made["arn"]})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Write them anew."""
    aws.client("amp").put_rule_groups_namespace(
        workspaceId=_workspace(wanted), name=wanted.properties["Name"], data=wanted.properties["Data"].encode()
    )
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete them. They went before where their workspace did."""
    assert made.wanted is not None  # noqa: S101  # the engine fills it in
    workspace, client = _workspace(made.wanted), aws.client("amp")
    if workspace in [one["workspaceId"] for one in client.list_workspaces()["workspaces"]]:
        client.delete_rule_groups_namespace(workspaceId=workspace, name=made.wanted.properties["Name"])


def _workspace(wanted: Wanted) -> str:
    return str(wanted.properties["Workspace"]).rpartition("/")[2]
