"""Shows how the node came up, from its record."""

from __future__ import annotations

import json
from typing import Any

from trainyard_node.output import out
from trainyard_node.places import Places
from trainyard_node.record import read_record
from trainyard_node.run_lock import somebody_holds

READY, BAD, NO_RECORD, STILL_RUNNING = 0, 1, 2, 3
_HEAD = ("STEP", "STATUS", "TIME", "ATTEMPTS", "MESSAGE")


def bootstrap_status(places: Places, *, as_json: bool) -> int:
    """Print the record and return 0 ready, 1 failed, held or interrupted, 2 no record, 3 not done yet."""
    record = read_record(places.record)
    if record is None:
        out("null" if as_json else f"no record: nothing was set up on this node, or {places.record} cannot be read")
        return NO_RECORD
    interrupted = record.get("status") == "running" and not somebody_holds(places.lock)
    if as_json:
        out(json.dumps(record, indent=2))
    else:
        out("\n".join(_lines(record, interrupted=interrupted)))
    return _exit_status(str(record.get("status")), interrupted=interrupted)


def _exit_status(status: str, *, interrupted: bool) -> int:
    if status in {"running", "deferred"} and not interrupted:
        return STILL_RUNNING
    return READY if status == "ready" else BAD


def _lines(record: dict[str, Any], *, interrupted: bool) -> list[str]:
    state = "interrupted" if interrupted else record.get("status")
    place = f"queue {record['queue']}" if record.get("queue") else ""
    parts = (record.get("role"), place, record.get("instance_type"), record.get("instance_id"))
    lines = [f"{state} after {record.get('seconds', 0):g} s: " + ", ".join(str(part) for part in parts if part)]
    if interrupted:
        lines.append("whatever ran the bootstrap was killed: run it again")
    if record.get("message"):
        lines.append(str(record["message"]))
    return [*lines, *_table([_HEAD, *(_row(step) for step in record.get("steps", ()))])]


def _row(step: dict[str, Any]) -> tuple[str, ...]:
    name = str(step.get("name")) + ("" if step.get("required") else " (optional)")
    seconds = f"{step.get('seconds', 0):g} s"
    return name, str(step.get("status")), seconds, str(step.get("attempts", 0)), str(step.get("message", ""))


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    if len(rows) == 1:
        return []
    widths = [max(len(cell) for cell in column) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
