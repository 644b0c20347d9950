"""Security groups, network interfaces and placement groups that stacks leave.

They hold no data; the first two keep their VPC from being deleted. ParallelCluster gives the group of an EFS file
system the deletion policy of the file system: _add_storage_security_group in
https://github.com/aws/aws-parallelcluster/blob/v3.16.1/cli/src/pcluster/templates/cluster_stack.py
The VPC CNI of Kubernetes deletes the interfaces that it made for pods itself, unless their instance goes first:
https://github.com/aws/amazon-vpc-cni-k8s/issues/1849
An update that takes a queue away deletes its placement group while nodes are still in it, which EC2 refuses; then
CloudFormation, which is cleaning up, leaves it:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import by_values, call, pages
from trainyard.edge.aws.ec2 import tags_of
from trainyard.edge.aws.errors import has_code
from trainyard.edge.aws.stack_events import stack_resources
from trainyard.errors import TrainyardError

_STACK_TAG = "aws:cloudformation:stack-name"
_NO_GROUP = ("InvalidGroup.NotFound",)
_IN_USE = ("DependencyViolation",)
# The interface of a mount target goes a little later than the mount target.
_POLL_S = 5.0
_POLLS = 24
# The CNI tags what it makes: https://github.com/aws/amazon-vpc-cni-k8s/blob/master/pkg/awsutils/awsutils.go
_CNI_TAG = "cluster.k8s.amazonaws.com/name"
_NO_PLACEMENT_GROUP = ("InvalidPlacementGroup.Unknown",)
_PLACEMENT_GROUP_IN_USE = ("InvalidPlacementGroup.InUse",)
_NO_INTERFACE = ("InvalidNetworkInterfaceID.NotFound",)


def delete_leftover_groups(
    account: Account, name: str, owns: Callable[[Mapping[str, str]], bool], *, wait: bool = False
) -> int:
    """Delete the security groups of a cluster or environment that stacks have left, and return how many there were.

    A stack that is deleted or updated leaves a group that is in use, be it by a rule of another group. Those that a
    stack still has stay, and so does one in use; with ``wait``, after a while in which it may become free.
    """
    doing = f"delete the security groups of {name}"
    # CloudFormation puts this tag on, and leaves it there.
    filters = by_values(**{"tag-key": (_STACK_TAG,)})
    groups = pages(account, "ec2", "describe_security_groups", "SecurityGroups", doing=doing, Filters=filters)
    own = {group["GroupId"]: tags_of(group)[_STACK_TAG] for group in groups if owns(tags_of(group))}
    stacks = sorted(set(own.values()))
    in_stacks = {resource.physical_id for stack in stacks for resource in stack_resources(account, stack)}
    left = leftover = [group for group in own if group not in in_stacks]
    for attempt in range(_POLLS if wait else 1):
        if attempt and left:
            account.clock.sleep(_POLL_S)
        left = _undeletable(account, left, doing)
    return len(leftover) - len(left)


def _undeletable(account: Account, groups: list[str], doing: str) -> list[str]:
    """Delete those that can go, each after those whose rules name it, and return the others."""
    left = [group for group in groups if not _is_deleted(account, group, doing)]
    return left if len(left) == len(groups) or not left else _undeletable(account, left, doing)


def _is_deleted(account: Account, group: str, doing: str) -> bool:
    try:
        call(account, "ec2", "delete_security_group", doing=doing, none_if=_NO_GROUP, GroupId=group)
    except TrainyardError as error:
        if not has_code(error.__cause__, _IN_USE):
            raise
        return False
    return True


def delete_leftover_interfaces(account: Account, cluster: str) -> int:
    """Delete the interfaces of a cluster's pods that no instance has, and return how many there were."""
    doing = f"delete network interfaces of {cluster}"
    filters = by_values(**{f"tag:{_CNI_TAG}": (cluster,)}, status=("available",))
    listed = pages(account, "ec2", "describe_network_interfaces", "NetworkInterfaces", doing=doing, Filters=filters)
    for interface in (described["NetworkInterfaceId"] for described in listed):
        place = {"NetworkInterfaceId": interface}
        call(account, "ec2", "delete_network_interface", doing=doing, none_if=_NO_INTERFACE, **place)
    return len(listed)


def delete_leftover_placement_groups(account: Account, name: str, owns: Callable[[Mapping[str, str]], bool]) -> int:
    """Delete the placement groups of a cluster that is gone, and return how many there were.

    One that a node is still in stays when it has had a while to become free.
    """
    doing = f"delete the placement groups of {name}"
    groups = call(account, "ec2", "describe_placement_groups", doing=doing)["PlacementGroups"]
    left = leftover = [group["GroupName"] for group in groups if owns(tags_of(group))]
    for attempt in range(_POLLS):
        if attempt and left:
            account.clock.sleep(_POLL_S)
        left = [group for group in left if not _is_placement_group_deleted(account, group, doing)]
    return len(leftover) - len(left)


def _is_placement_group_deleted(account: Account, group: str, doing: str) -> bool:
    try:
        call(account, "ec2", "delete_placement_group", doing=doing, none_if=_NO_PLACEMENT_GROUP, GroupName=group)
    except TrainyardError as error:
        if not has_code(error.__cause__, _PLACEMENT_GROUP_IN_USE):
            raise
        return False
    return True
