"""The address that signals for a wait condition go to."""

from __future__ import annotations

import secrets
from urllib.parse import quote

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::CloudFormation::WaitConditionHandle"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make up a presigned address, at which nobody listens."""
    path = quote(f"{resource.stack_id}/{resource.logical_id}", safe="")
    host = f"cloudformation-waitcondition-{aws.region}.s3.{aws.region}.amazonaws.com"
    return PhysicalResource(f"https://{host}/{path}?X-Amz-Signature={secrets.token_hex(32)}")


def delete(_aws: Aws, _physical: PhysicalResource) -> None:
    """Forget it."""
