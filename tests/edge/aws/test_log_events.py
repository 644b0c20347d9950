"""A log stream that is read on and on: nothing twice, nothing left out, also where its token has become too old."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import LogStreamReader
from trainyard.errors import TrainyardError


class Logs:
    """CloudWatch's side of one stream, in pages of two events, with tokens as it gives them."""

    def __init__(self) -> None:
        self.events: list[tuple[int, str]] = []
        self.day = 0
        """A token of the day before is too old."""
        self.missing = False

    def get_log_events(self, **asked: Any) -> dict[str, Any]:
        assert asked["startFromHead"] is True
        if self.missing:
            raise ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "GetLogEvents")
        token = asked.get("nextToken")
        if token is not None and token.partition("/")[0] != str(self.day):
            raise ClientError({"Error": {"Code": "InvalidParameterException"}}, "GetLogEvents")
        since = asked.get("startTime", 0)
        later = (index for index, (at, _) in enumerate(self.events) if at >= since)
        first = next(later, len(self.events)) if token is None else int(token.partition("/")[2])
        page = [{"timestamp": at, "message": message} for at, message in self.events[first : first + 2]]
        return {"events": page, "nextForwardToken": f"{self.day}/{first + len(page)}"}


class Here:
    """An account that has only this."""

    region = "us-east-2"

    def __init__(self, logs: Logs) -> None:
        self.logs = logs

    def client(self, service: str) -> Logs:
        assert service == "logs"
        return self.logs


@pytest.fixture
def logs() -> Logs:
    return Logs()


@pytest.fixture
def stream(logs: Logs) -> LogStreamReader:
    account: Account = Here(logs)  # type: ignore[assignment]  # what it is asked for
    return LogStreamReader(account, "group", "stream")


def new(stream: LogStreamReader) -> list[str]:
    return [event.message for event in stream.new()]


def test_each_call_gives_what_has_come_since(logs: Logs, stream: LogStreamReader):
    logs.events = [(1, "a"), (1, "b"), (2, "c")]
    assert new(stream) == ["a", "b", "c"]
    assert new(stream) == []
    logs.events += [(2, "d"), (3, "e"), (3, "f")]
    assert new(stream) == ["d", "e", "f"]


def test_a_stream_that_is_not_there_yet_is_empty(logs: Logs, stream: LogStreamReader):
    logs.missing = True
    assert new(stream) == []
    logs.missing, logs.events = False, [(5, "a")]
    assert new(stream) == ["a"]


def test_a_token_that_is_too_old_loses_nothing_and_repeats_nothing(logs: Logs, stream: LogStreamReader):
    logs.events = [(1, "a"), (7, "b"), (7, "c")]
    assert new(stream) == ["a", "b", "c"]
    logs.day += 1
    logs.events += [(7, "d"), (8, "e")]
    assert new(stream) == ["d", "e"]
    logs.day += 1
    assert new(stream) == []


def test_what_is_refused_is_told(logs: Logs, stream: LogStreamReader):
    class Refusing(Logs):
        def get_log_events(self, **_: Any) -> dict[str, Any]:
            raise ClientError({"Error": {"Code": "AccessDeniedException", "Message": "no"}}, "GetLogEvents")

    stream.account.logs = Refusing()  # type: ignore[attr-defined]  # an account of this test
    with pytest.raises(TrainyardError, match="not allowed: logs:GetLogEvents"):
        new(stream)
