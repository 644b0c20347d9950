"""The events of a stack as AWS CloudFormation describes them, whole, for an archive of logs."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer, client
from trainyard.edge.aws.refusals import code, words

_MOST_EVENTS = 20_000


def described_events(account: Account, stack: str) -> list[list[dict[str, Any]]]:
    """Return the pages of a stack's events, the newest first; none where there is no such stack.

    Times are texts. Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """

    def ask() -> list[list[dict[str, Any]]]:
        listed = client(account, "cloudformation").get_paginator("describe_stack_events")
        pages = listed.paginate(StackName=stack, PaginationConfig={"MaxItems": _MOST_EVENTS})
        try:
            return [[_with_text(event) for event in page["StackEvents"]] for page in pages]
        except ClientError as error:
            if code(error) == "ValidationError" and "does not exist" in words(error):
                return []
            raise

    return answer(account, "cloudformation:DescribeStackEvents", ask)


def _with_text(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event whose time reads as in `pcluster export-cluster-logs`: 2025-07-02T08:08:50.000Z."""
    at = event["Timestamp"]
    return {**event, "Timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"}
