"""A workspace of Amazon Managed Grafana."""

from __future__ import annotations

from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::Grafana::Workspace"
# How the API calls what a template says.
# https://docs.aws.amazon.com/grafana/latest/APIReference/API_CreateWorkspace.html
_NAMES = {
    "AccountAccessType": "accountAccessType",
    "AuthenticationProviders": "authenticationProviders",
    "DataSources": "workspaceDataSources",
    "Description": "workspaceDescription",
    "GrafanaVersion": "grafanaVersion",
    "Name": "workspaceName",
    "NotificationDestinations": "workspaceNotificationDestinations",
    "OrganizationRoleName": "organizationRoleName",
    "OrganizationalUnits": "workspaceOrganizationalUnits",
    "PermissionType": "permissionType",
    "RoleArn": "workspaceRoleArn",
    "StackSetName": "stackSetName",
}
_FIXED = ("AuthenticationProviders", "GrafanaVersion")


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    answer = aws.client("grafana").create_workspace(**_asked(resource))["workspace"]
    attributes = {
        "Id": answer["id"],
        "Endpoint": answer["endpoint"],
        "Status": answer["status"],
        "GrafanaVersion": answer["grafanaVersion"],
        "CreationTimestamp": str(answer["created"]),
        "ModificationTimestamp": str(answer["modified"]),
        "SsoClientId": "",
        "SamlConfigurationStatus": "NOT_CONFIGURED",
    }
    return PhysicalResource(answer["id"], attributes)


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change it."""
    asked = {name: value for name, value in _asked(resource).items() if name not in {_NAMES[one] for one in _FIXED}}
    aws.client("grafana").update_workspace(workspaceId=physical.id, **asked)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it."""
    aws.client("grafana").delete_workspace(workspaceId=physical.id)


def _asked(resource: LogicalResource) -> dict[str, Any]:
    return {_NAMES[name]: value for name, value in resource.properties.items() if name in _NAMES}
