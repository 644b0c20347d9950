"""The tags that CloudFormation itself puts on what it makes, and changes of tags alone."""

from __future__ import annotations

import re
from typing import Any

from moto.ec2.models import ec2_backends

from trainyard.rehearsal.emulated.in_process_account import InProcessAccount
from trainyard.rehearsal.emulated.resource import LogicalResource, PhysicalResource

_EC2_ID = re.compile(r"[a-z]+(-[a-z]+)*-[0-9a-f]{8,17}")


def tag_as_ours(
    aws: InProcessAccount, physical: PhysicalResource, resource: LogicalResource, *, replace: bool = False
) -> bool:
    """Tag a resource of EC2; return whether it is one. ``replace`` takes away the tags that it had before.

    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html
    """
    if not resource.type.startswith("AWS::EC2::") or not _EC2_ID.fullmatch(physical.id):
        return False
    backend: Any = ec2_backends[aws.account_id][aws.region]
    if replace and physical.logical is not None:
        backend.delete_tags([physical.id], {tag["Key"]: None for tag in physical.logical.tags()})
    automatic = {"stack-name": resource.stack_name, "stack-id": resource.stack_id, "logical-id": resource.logical_id}
    tags = {tag["Key"]: tag["Value"] for tag in resource.tags()}
    backend.create_tags(
        [physical.id], {**tags, **{f"aws:cloudformation:{key}": value for key, value in automatic.items()}}
    )
    return True
