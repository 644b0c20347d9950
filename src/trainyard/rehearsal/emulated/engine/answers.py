"""What CloudFormation shows of stacks, resources, events and templates, as its API model names it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trainyard.rehearsal.emulated.engine import change_sets
from trainyard.rehearsal.emulated.engine.change_sets import EmulatedChangeSet
from trainyard.rehearsal.emulated.engine.stacks import EmulatedResource, EmulatedStack, EmulatedStackEvent

_HIDDEN = "****"


def stack(stack: EmulatedStack) -> dict[str, Any]:
    """Return one stack of DescribeStacks. To look is to let time pass."""
    running = bool(stack.unseen)
    shown = {
        "StackName": stack.name,
        "StackId": stack.id,
        "Description": stack.template.get("Description"),
        "CreationTime": stack.created,
        "LastUpdatedTime": stack.updated,
        "DeletionTime": stack.deleted,
        "StackStatus": stack.look(),
        "StackStatusReason": None if running else stack.reason or None,
        "DisableRollback": not stack.rollback,
        "EnableTerminationProtection": stack.protected,
        "Capabilities": list(stack.capabilities),
        "NotificationARNs": [],
        "RoleARN": stack.role,
        "Tags": [{"Key": key, "Value": value} for key, value in stack.tags.items()],
        "Parameters": _parameters(stack.template, stack.values, stack.parameters),
        "Outputs": [] if running and not stack.updated else stack.outputs,
        "ParentId": stack.parent.id if stack.parent else None,
    }
    return _present(shown)


def stack_summary(stack: EmulatedStack) -> dict[str, Any]:
    """Return one stack of ListStacks."""
    shown = {
        "StackName": stack.name,
        "StackId": stack.id,
        "CreationTime": stack.created,
        "LastUpdatedTime": stack.updated,
        "DeletionTime": stack.deleted,
        "StackStatus": stack.unseen or stack.status,
        "ParentId": stack.parent.id if stack.parent else None,
    }
    return _present(shown)


def events(stack: EmulatedStack) -> list[dict[str, Any]]:
    """Return DescribeStackEvents: the newest first, and not the end of what is seen to be in progress."""
    shown = stack.events[:-1] if stack.unseen else stack.events
    return [_event(event) for event in reversed(shown)]


def resource(stack: EmulatedStack, resource: EmulatedResource) -> dict[str, Any]:
    """Return a resource, with the names of all three actions that show one."""
    shown = {
        "StackName": stack.name,
        "StackId": stack.id,
        "LogicalResourceId": resource.logical_id,
        "PhysicalResourceId": resource.physical.id if resource.physical else None,
        "ResourceType": resource.type,
        "ResourceStatus": resource.status,
        "ResourceStatusReason": resource.reason or None,
        "Timestamp": resource.time,
        "LastUpdatedTimestamp": resource.time,
    }
    return _present(shown)


def change_set(change_set: EmulatedChangeSet, *, with_values: bool) -> dict[str, Any]:
    """Return DescribeChangeSet, with values of properties where a caller asks for them. To look is to let time pass."""
    target = change_set.target
    return {
        **change_set_summary(change_set),
        "Status": change_set.look(),
        "Parameters": _parameters(target.template, target.values, target.parameters),
        "Capabilities": list(change_set.capabilities),
        "Tags": [{"Key": key, "Value": value} for key, value in target.tags.items()],
        "Changes": change_sets.resource_changes(change_set, with_values=with_values),
    }


def change_set_summary(change_set: EmulatedChangeSet) -> dict[str, Any]:
    """Return one change set of ListChangeSets."""
    shown = {
        "ChangeSetName": change_set.name,
        "ChangeSetId": change_set.id,
        "StackName": change_set.stack.name,
        "StackId": change_set.stack.id,
        "Description": change_set.description,
        "CreationTime": change_set.created,
        "Status": change_set.unseen or change_set.status,
        "ExecutionStatus": change_set.execution,
        "StatusReason": change_set.reason or None,
    }
    return _present(shown)


def template_summary(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return GetTemplateSummary and ValidateTemplate."""
    shown = {
        "Description": template.get("Description"),
        "Version": template.get("AWSTemplateFormatVersion"),
        "ResourceTypes": sorted({body["Type"] for body in template["Resources"].values()}),
        "Parameters": [_declared(name, body) for name, body in (template.get("Parameters") or {}).items()],
    }
    return _present(shown)


def _declared(name: str, body: Mapping[str, Any]) -> dict[str, Any]:
    shown = {
        "ParameterKey": name,
        "ParameterType": body.get("Type"),
        "DefaultValue": None if body.get("Default") is None else str(body["Default"]),
        "NoEcho": str(body.get("NoEcho", False)).lower() == "true",
        "Description": body.get("Description"),
        "ParameterConstraints": {"AllowedValues": [str(value) for value in body.get("AllowedValues", [])]},
    }
    return _present(shown)


def _parameters(
    template: Mapping[str, Any], values: Mapping[str, str], resolved: Mapping[str, Any]
) -> list[dict[str, Any]]:
    shown = []
    for name, body in (template.get("Parameters") or {}).items():
        hidden = str(body.get("NoEcho", False)).lower() == "true"
        value = str(values.get(name, body.get("Default", "")))
        shown_parameter = {"ParameterKey": name, "ParameterValue": _HIDDEN if hidden else value}
        if str(body.get("Type")).startswith("AWS::SSM::Parameter::Value<"):
            shown_parameter["ResolvedValue"] = str(resolved.get(name, ""))
        shown.append(shown_parameter)
    return shown


def _event(event: EmulatedStackEvent) -> dict[str, Any]:
    shown = {
        "EventId": event.id,
        "StackId": event.stack_id,
        "StackName": event.stack_name,
        "LogicalResourceId": event.logical_id,
        "PhysicalResourceId": event.physical_id,
        "ResourceType": event.type,
        "Timestamp": event.time,
        "ResourceStatus": event.status,
        "ResourceStatusReason": event.reason or None,
    }
    return _present(shown)


def _present(shown: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shown.items() if value is not None}
