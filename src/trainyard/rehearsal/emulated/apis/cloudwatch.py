"""CloudWatch: alarms on other alarms, which moto keeps but has no call for."""

from __future__ import annotations

from typing import Any

from moto.cloudwatch.responses import CloudWatchResponse

from trainyard.rehearsal.emulated.actions import add


def install() -> None:
    """Add the action."""
    add(CloudWatchResponse, put_composite_alarm)


def put_composite_alarm(self: Any) -> Any:
    """Answer PutCompositeAlarm."""
    return self.put_metric_alarm()
