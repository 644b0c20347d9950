"""Security groups that ParallelCluster keeps with a file system, and that nobody needs once it is gone.

They hold no data, but a VPC cannot be deleted while they are in it. ParallelCluster gives the group of an EFS file
system the deletion policy of the file system: _add_storage_security_group in
https://github.com/aws/aws-parallelcluster/blob/v3.16.1/cli/src/pcluster/templates/cluster_stack.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.refusals import account_error, code

_GONE = "InvalidGroup.NotFound"
_IN_USE = "DependencyViolation"
# The interface of a mount target goes a little later than the mount target.
_POLL_S = 5.0
_POLLS = 24


def delete_leftover_groups(
    account: Account, name: str, owns: Callable[[Mapping[str, str]], bool], *, wait: bool = False
) -> int:
    """Delete the security groups that the stack of a cluster has left, and return how many there were.

    Only once that stack is gone. A group in use stays; with ``wait``, after a while in which it may become free.
    """
    try:
        return sum(_delete(account, group, wait=wait) for group in _left(account, name, owns))
    except ClientError as error:
        raise account_error(error, account.region, f"delete the security groups of {name}") from error


def _left(account: Account, name: str, owns: Callable[[Mapping[str, str]], bool]) -> list[str]:
    # CloudFormation puts this tag on, and leaves it there. The stack of the network has another name.
    filters = [{"Name": "tag:aws:cloudformation:stack-name", "Values": [name]}]
    pages = account.client("ec2").get_paginator("describe_security_groups").paginate(Filters=filters)
    found = [group for page in pages for group in page["SecurityGroups"]]
    return [one["GroupId"] for one in found if owns({tag["Key"]: tag["Value"] for tag in one.get("Tags", ())})]


def _delete(account: Account, group: str, *, wait: bool) -> bool:
    for attempt in range(_POLLS if wait else 1):
        if attempt:
            account.clock.sleep(_POLL_S)
        try:
            account.client("ec2").delete_security_group(GroupId=group)
        except ClientError as error:
            if code(error) == _GONE:
                return True
            if code(error) != _IN_USE:
                raise
        else:
            return True
    return False
