"""The address that signals for a wait condition go to."""

from __future__ import annotations

import secrets
from urllib.parse import quote

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::CloudFormation::WaitConditionHandle"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make up a presigned address, at which nobody listens."""
    path = quote(f"{wanted.stack_id}/{wanted.logical_id}", safe="")
    host = f"cloudformation-waitcondition-{aws.region}.s3.{aws.region}.amazonaws.com"
    return Made(f"https://{host}/{path}?X-Amz-Signature={secrets.token_hex(32)}")


def delete(_aws: Aws, _made: Made) -> None:
    """Forget it."""
