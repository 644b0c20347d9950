"""One stream of Amazon CloudWatch Logs that is read on and on: each time what is new in it.

https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client
from trainyard.edge.aws.cluster_logs import MISSING
from trainyard.edge.aws.log_events import LogEvent
from trainyard.edge.aws.refusals import code

# A page has up to 10,000 events or 1 MiB. What is left is read the next time.
_MOST_PAGES = 200
# What a container said last arrives a moment after it has ended.
_QUIET_TIMES, _MOST_TIMES, _PAUSE_S = 3, 20, 2.0
_ARRIVED_AFTER_S = 120.0


@dataclass
class LogStream:
    """A stream, and how far it was read."""

    account: Account
    group: str
    name: str
    _token: str | None = None
    _last_ms: int = 0
    _at_last: int = 0
    """How many events of that millisecond were read."""
    _again: int = 0
    """How many of them come again, because the token was too old."""

    def new(self) -> Iterator[LogEvent]:
        """Yield what was not read before, in the order of time; nothing where there is no such stream yet.

        Raises NotAllowedError, or TrainyardError where AWS does not answer; then the next call goes on from there.
        """
        for _ in range(_MOST_PAGES):
            page = answer_or_none(self.account, "logs:GetLogEvents", self._ask, MISSING)
            given = self._token
            if page is None:
                return
            for one in page.get("events", ()):
                yield from self._event(one)
            self._token = page.get("nextForwardToken")
            # The end is where a call returns the token that it was given.
            if self._token in (None, given):
                return

    def rest(self, ended_ms: int | None) -> Iterator[LogEvent]:
        """Yield what is left of a log whose writer has ended at some time, and wait a little for what is on its way."""
        clock, quiet = self.account.clock, 0
        for _ in range(_MOST_TIMES):
            before = (self._last_ms, self._at_last)
            yield from self.new()
            quiet = 0 if before != (self._last_ms, self._at_last) else quiet + 1
            arrived = ended_ms is not None and clock.now() - ended_ms / 1000 > _ARRIVED_AFTER_S
            if quiet == (1 if arrived else _QUIET_TIMES):
                return
            if quiet:
                clock.sleep(_PAUSE_S)

    def _ask(self) -> dict[str, Any]:
        asked: dict[str, Any] = {"logGroupName": self.group, "logStreamName": self.name, "startFromHead": True}
        if self._token is not None:
            try:
                return dict(client(self.account, "logs").get_log_events(**asked, nextToken=self._token))
            except ClientError as error:
                # Tokens hold for 24 hours.
                if code(error) != "InvalidParameterException":
                    raise
                self._token, self._again = None, self._at_last
        return dict(client(self.account, "logs").get_log_events(**asked, startTime=self._last_ms))

    def _event(self, described: dict[str, Any]) -> Iterator[LogEvent]:
        at_ms = int(described["timestamp"])
        if self._again and at_ms == self._last_ms:
            self._again -= 1
            return
        self._at_last = self._at_last + 1 if at_ms == self._last_ms else 1
        self._last_ms, self._again = at_ms, 0
        yield LogEvent(at_ms, self.name, described["message"])
