"""The records of nodes on which something failed, as the lines that such nodes write to their own system logs.

A node may be gone before its system log reached CloudWatch; its record in the bucket is still there. A line begins as
those of bootstrap/assets/launch.sh.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from trainyard.deploy.node_record import StepRecord
from trainyard.edge.aws.account import Account
from trainyard.operate.nodes.bucket_records import BucketRecords, RecordReading


class NodeLog(NamedTuple):
    """What one node wrote."""

    name: str
    """Like that of its system log."""
    lines: tuple[str, ...]


def failures_logged(account: Account, bucket: str, cluster: str) -> list[NodeLog]:
    """Return what the nodes of a cluster wrote of what failed, the newest 100 of them.

    Raises TrainyardError where the bucket cannot be read.
    """
    readings = BucketRecords(account, bucket, cluster).look(())
    read = sorted(readings.by_instance.values(), key=lambda reading: reading.written)
    logged = [(reading, tuple(_lines(reading))) for reading in read]
    return [NodeLog(_name(reading), lines) for reading, lines in logged if lines]


def _name(reading: RecordReading) -> str:
    host = reading.record.hostname if reading.record else ""
    return f"bootstrap-records/{host or 'unknown'}.{reading.instance_id}.syslog"


def _lines(reading: RecordReading) -> Iterator[str]:
    """Yield a line for each optional step that failed, and one for the node where it failed or is held."""
    record = reading.record
    if record is None:
        return
    for step in record.steps:
        if step.status == "failed" and not step.required:
            yield _line(_ended(step, reading), f"optional step {step.name} failed: {step.message}")
    if record.status in ("failed", "held"):
        yield _line(reading.written, f"failed: {record.message}")


def _ended(step: StepRecord, reading: RecordReading) -> float:
    return reading.written if step.started is None else step.started + (step.seconds or 0.0)


def _line(at: float, message: str) -> str:
    time = datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return f"{time} trainyard: {' '.join(message.split())}"
