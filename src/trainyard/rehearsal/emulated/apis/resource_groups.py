"""Resource groups of capacity reservations: moto has groups, but nothing in them.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-cr-group.html
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from moto.resourcegroups import urls
from moto.resourcegroups.exceptions import NotFoundException
from moto.resourcegroups.models import FakeResourceGroup, ResourceGroupsBackend, resourcegroups_backends
from moto.resourcegroups.responses import ResourceGroupsResponse

from trainyard.rehearsal.emulated.actions import add, wrap

_MEMBERS: dict[str, list[str]] = {}
_PATHS = ("group-resources", "ungroup-resources", "list-group-resources")
# What stands for the query of a group that has a configuration instead; moto cannot do without.
_NO_QUERY = {
    "Type": "TAG_FILTERS_1_0",
    "Query": '{"ResourceTypeFilters": ["AWS::AllSupported"], "TagFilters": [{"Key": "none", "Values": []}]}',
}
_KINDS = {":capacity-reservation/": "AWS::EC2::CapacityReservation"}
# https://docs.aws.amazon.com/ARG/latest/APIReference/about-slg.html
_OF_RESERVATIONS: list[dict[str, Any]] = [
    {"Type": "AWS::EC2::CapacityReservationPool"},
    {
        "Type": "AWS::ResourceGroups::Generic",
        "Parameters": [{"Name": "allowed-resource-types", "Values": ["AWS::EC2::CapacityReservation"]}],
    },
]


def install() -> None:
    """Add the actions and their paths."""
    urls.url_paths.update({f"{{0}}/{path}$": ResourceGroupsResponse.dispatch for path in _PATHS})
    wrap(ResourceGroupsBackend, "create_group", _create_group)
    add(
        ResourceGroupsResponse,
        list_group_resources,
        group_resources,
        ungroup_resources,
        get_group_configuration,
        get_group,
        delete_group,
    )


def plant_group(account_id: str, region: str, arn: str, members: list[str]) -> None:
    """Make a group of capacity reservations."""
    backend = resourcegroups_backends[account_id][region]
    name = arn.rpartition(":group/")[2]
    group = FakeResourceGroup(account_id, region, name, _NO_QUERY, configuration=_OF_RESERVATIONS)
    group.arn = arn
    backend.groups.append(group)
    _MEMBERS[arn] = list(members)


def members(arn: str) -> tuple[str, ...]:
    """Return the ARNs of what is in a group; nothing where there is no such group."""
    return tuple(_MEMBERS.get(arn, ()))


def list_group_resources(self: Any) -> str:
    """Answer ListGroupResources."""
    members = _MEMBERS.get(_group(self).arn, [])
    identifiers = [{"ResourceArn": arn, "ResourceType": _kind(arn)} for arn in members]
    return json.dumps(
        {"Resources": [{"Identifier": identifier} for identifier in identifiers], "ResourceIdentifiers": identifiers}
    )


def group_resources(self: Any) -> str:
    """Answer GroupResources."""
    members = _MEMBERS.setdefault(_group(self).arn, [])
    arns = self._get_param("ResourceArns")
    members.extend(arn for arn in arns if arn not in members)
    return json.dumps({"Succeeded": arns, "Failed": [], "Pending": []})


def ungroup_resources(self: Any) -> str:
    """Answer UngroupResources."""
    arns = self._get_param("ResourceArns")
    arn = _group(self).arn
    _MEMBERS[arn] = [member for member in _MEMBERS.get(arn, []) if member not in arns]
    return json.dumps({"Succeeded": arns, "Failed": [], "Pending": []})


def get_group_configuration(self: Any) -> str:
    """Answer GetGroupConfiguration."""
    return json.dumps(
        {"GroupConfiguration": {"Configuration": _group(self).configuration or [], "Status": "UPDATE_COMPLETE"}}
    )


def get_group(self: Any) -> str:
    """Answer GetGroup, also where the group is named by the parameter that replaced GroupName."""
    return json.dumps({"Group": _described(_group(self))})


def delete_group(self: Any) -> str:
    """Answer DeleteGroup, as above."""
    group = _group(self)
    self.resourcegroups_backend.groups.delete(name=group.name)
    _MEMBERS.pop(group.arn, None)
    return json.dumps({"Group": _described(group)})


def _described(group: Any) -> dict[str, Any]:
    return {"GroupArn": group.arn, "Name": group.name, "Description": group.description}


def _create_group(former: Callable[..., Any], self: Any, **parameters: Any) -> Any:
    return former(self, **{**parameters, "resource_query": parameters["resource_query"] or _NO_QUERY})


def _group(self: Any) -> Any:
    """Return the group that a call names, by name or ARN."""
    name = self._get_param("Group") or self._get_param("GroupName")
    groups = self.resourcegroups_backend.groups
    group = groups.by_arn.get(name) or groups.by_name.get(name)
    if group is None:
        raise NotFoundException(f"Cannot find the requested group: {name}")
    return group


def _kind(arn: str) -> str:
    return next((kind for part, kind in _KINDS.items() if part in arn), "")
