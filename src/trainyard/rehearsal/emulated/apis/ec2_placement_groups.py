"""EC2: placement groups, which moto does not have.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/placement-groups.html
"""

from __future__ import annotations

from typing import Any

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.responses import EC2Response
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, EC2_RESOURCE_TO_PREFIX, random_id

from trainyard.rehearsal.emulated.actions import add

_GROUPS: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}


def install() -> None:
    """Add the actions, and let groups be tagged."""
    EC2_RESOURCE_TO_PREFIX["placement-group"] = "pg"
    EC2_PREFIX_TO_RESOURCE["pg"] = "placement-group"
    add(EC2Response, create_placement_group, describe_placement_groups, delete_placement_group)


def create_placement_group(self: Any) -> ActionResult:
    """Answer CreatePlacementGroup."""
    name, group_id = self._get_param("GroupName"), random_id("pg")
    self.error_on_dryrun()
    if name in _groups(self):
        raise EC2ClientError("InvalidPlacementGroup.Duplicate", f"The placement group '{name}' already exists.")
    _groups(self)[name] = {
        "GroupName": name,
        "GroupId": group_id,
        "GroupArn": f"arn:aws:ec2:{self.region}:{self.current_account}:placement-group/{name}",
        "State": "available",
        "Strategy": self._get_param("Strategy", "cluster"),
        "PartitionCount": self._get_param("PartitionCount"),
        "SpreadLevel": self._get_param("SpreadLevel"),
    }
    for tags in self._parse_tag_specification().values():
        self.ec2_backend.create_tags([group_id], tags)
    return ActionResult({"PlacementGroup": _described(self, name)})


def describe_placement_groups(self: Any) -> ActionResult:
    """Answer DescribePlacementGroups."""
    names = self._get_param("GroupNames", []) or [
        group["GroupName"] for group in _groups(self).values() if group["GroupId"] in self._get_param("GroupIds", [])
    ]
    every = names or ([] if self._get_param("GroupIds") else list(_groups(self)))
    return ActionResult({"PlacementGroups": [_described(self, name) for name in every]})


def delete_placement_group(self: Any) -> EmptyResult:
    """Answer DeletePlacementGroup. A group with running instances stays."""
    name = self._get_param("GroupName")
    _described(self, name)
    running = [
        instance
        for instance in self.ec2_backend.all_instances()
        if instance.state not in ("terminated", "shutting-down")
    ]
    if any(instance.placement.group_name == name for instance in running):
        raise EC2ClientError("InvalidPlacementGroup.InUse", f"The placement group '{name}' is in use.")
    del _groups(self)[name]
    return EmptyResult()


def _groups(self: Any) -> dict[str, dict[str, Any]]:
    return _GROUPS.setdefault((self.current_account, self.region), {})


def _described(self: Any, name: str) -> dict[str, Any]:
    if name not in _groups(self):
        raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The placement group '{name}' is unknown.")
    group = _groups(self)[name]
    tags = self.ec2_backend.describe_tags({"resource-id": [group["GroupId"]]})
    shown = [{"Key": tag["key"], "Value": tag["value"]} for tag in tags]
    return {key: value for key, value in {**group, "Tags": shown}.items() if value is not None}
