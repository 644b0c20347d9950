"""Clusters that failed, planted in an account: their log streams, and the events of their stacks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account

NAME = "llm"
GROUP = f"/aws/parallelcluster/{NAME}-202605061300"
HEAD = "ip-10-0-0-5.i-0aaaaaaaaaaaaaaa1"
NODE = "ip-10-0-1-7.i-0bbbbbbbbbbbbbbb2"
OTHER = "ip-10-0-1-8.i-0ccccccccccccccc3"
XID = "ip-10-0-1-7 kernel: NVRM: Xid (PCI:0000:a8:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
DOWNLOAD = (
    "Failed to download OnNodeConfigured script 1 using aws s3. Please check /var/log/cfn-init.log in the head node."
)
CANCELLED = "Resource creation cancelled"


class WithStacks(Account):
    """An account that tells of the events of its stacks what a test says."""

    events: Mapping[str, Sequence[dict[str, Any]]] = {}
    """By the name or the id of their stack, the newest first."""

    def client(self, service: str, region: str | None = None) -> Any:
        return _CloudFormation(self.events) if service == "cloudformation" else super().client(service, region)


class _CloudFormation:
    def __init__(self, events: Mapping[str, Sequence[dict[str, Any]]]) -> None:
        self._events = events

    def get_paginator(self, operation: str) -> _CloudFormation:
        self._operation = operation
        return self

    def describe_stacks(self, StackName: str) -> dict[str, Any]:  # noqa: N803  as boto3 has it
        said = {"Error": {"Code": "ValidationError", "Message": f"Stack with id {StackName} does not exist"}}
        raise ClientError(said, "DescribeStacks")

    def paginate(self, StackName: str = "") -> Iterator[dict[str, Any]]:  # noqa: N803  as boto3 has it
        if self._operation == "describe_stacks":
            yield {"Stacks": []}
            return
        yield {"StackEvents": self._events.get(StackName, ())}


def with_stacks(account: Account, events: Mapping[str, Sequence[dict[str, Any]]]) -> Account:
    made = WithStacks(account.region, credentials=account.credentials, clock=account.clock)
    object.__setattr__(made, "events", events)
    return made


def event(account: Account, resource: str, status: str, reason: str = "", **more: str) -> dict[str, Any]:
    at = dt.datetime.fromtimestamp(account.clock.now() - 600, dt.UTC)
    own = {"EventId": resource, "Timestamp": at, "StackName": NAME, "LogicalResourceId": resource}
    return {**own, "ResourceStatus": status, "ResourceStatusReason": reason, "PhysicalResourceId": "", **more}


def put(account: Account, stream: str, *messages: str, minutes_ago: float = 30) -> None:
    """Write lines into a stream, a second apart."""
    logs, at_ms = account.client("logs"), int((account.clock.now() - minutes_ago * 60) * 1000)
    if not logs.describe_log_groups(logGroupNamePrefix=GROUP)["logGroups"]:
        logs.create_log_group(logGroupName=GROUP)
    if not logs.describe_log_streams(logGroupName=GROUP, logStreamNamePrefix=stream)["logStreams"]:
        logs.create_log_stream(logGroupName=GROUP, logStreamName=stream)
    listed = [{"timestamp": at_ms + 1000 * n, "message": message} for n, message in enumerate(messages)]
    logs.put_log_events(logGroupName=GROUP, logStreamName=stream, logEvents=listed)


class Refused(Account):
    """An account that answers nothing but who asks, and the services that a test says."""

    answering: frozenset[str] = frozenset()

    def client(self, service: str, region: str | None = None) -> Any:
        return super().client(service, region) if service in (*self.answering, "sts") else _Refusing()


class _Refusing:
    def get_paginator(self, operation: str) -> Any:
        return SimpleNamespace(paginate=lambda **asked: iter(lambda: getattr(self, operation)(**asked), None))

    def __getattr__(self, operation: str) -> Any:
        def refuse(*_: object, **__: object) -> None:
            said = {"Error": {"Code": "AccessDenied", "Message": "User: me is not authorized"}}
            raise ClientError(said, operation)

        return refuse


def refused(account: Account, *answering: str) -> Account:
    made = Refused(account.region, credentials=account.credentials, clock=account.clock)
    object.__setattr__(made, "answering", frozenset(answering))
    return made
