"""Amazon Managed Service for Prometheus and Amazon Managed Grafana."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource, ResourceType


def _create_prometheus_workspace(aws: Aws, resource: LogicalResource) -> PhysicalResource:
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


def _update_prometheus_workspace(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
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


def _delete_prometheus_workspace(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, and every metric in it."""
    aws.client("amp").delete_workspace(workspaceId=physical.attributes["WorkspaceId"])


def _create_rule_groups_namespace(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make them."""
    namespace = aws.client("amp").create_rule_groups_namespace(
        workspaceId=_workspace(resource),
        name=resource.properties["Name"],
        data=resource.properties["Data"].encode(),
        tags={tag["Key"]: tag["Value"] for tag in resource.tags()},
    )
    return PhysicalResource(namespace["arn"], {"Arn": namespace["arn"]})


def _update_rule_groups_namespace(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Write them anew."""
    aws.client("amp").put_rule_groups_namespace(
        workspaceId=_workspace(resource), name=resource.properties["Name"], data=resource.properties["Data"].encode()
    )
    return physical


def _delete_rule_groups_namespace(aws: Aws, physical: PhysicalResource) -> None:
    """Delete them. They went before where their workspace did."""
    assert physical.logical is not None  # noqa: S101  # the engine fills it in
    workspace, client = _workspace(physical.logical), aws.client("amp")
    if workspace in [workspace["workspaceId"] for workspace in client.list_workspaces()["workspaces"]]:
        client.delete_rule_groups_namespace(workspaceId=workspace, name=physical.logical.properties["Name"])


def _workspace(resource: LogicalResource) -> str:
    return str(resource.properties["Workspace"]).rpartition("/")[2]


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


def _create_grafana_workspace(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    answer = aws.client("grafana").create_workspace(**_request(resource))["workspace"]
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


def _update_grafana_workspace(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    request = {
        name: value for name, value in _request(resource).items() if name not in {_NAMES[name_] for name_ in _FIXED}
    }
    grafana = aws.client("grafana")
    grafana.update_workspace(workspaceId=physical.id, **request)
    version = str(resource.properties.get("GrafanaVersion", physical.attributes["GrafanaVersion"]))
    if version != physical.attributes["GrafanaVersion"]:
        grafana.update_workspace_configuration(workspaceId=physical.id, configuration="{}", grafanaVersion=version)
    return PhysicalResource(physical.id, {**physical.attributes, "GrafanaVersion": version})


def _delete_grafana_workspace(aws: Aws, physical: PhysicalResource) -> None:
    aws.client("grafana").delete_workspace(workspaceId=physical.id)


def _request(resource: LogicalResource) -> dict[str, Any]:
    return {_NAMES[name]: value for name, value in resource.properties.items() if name in _NAMES}


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::APS::Workspace": ResourceType(
        _create_prometheus_workspace, _delete_prometheus_workspace, _update_prometheus_workspace
    ),
    "AWS::APS::RuleGroupsNamespace": ResourceType(
        _create_rule_groups_namespace, _delete_rule_groups_namespace, _update_rule_groups_namespace
    ),
    "AWS::Grafana::Workspace": ResourceType(
        _create_grafana_workspace, _delete_grafana_workspace, _update_grafana_workspace
    ),
}
