"""The status record of a node: what its bootstrap did, as one JSON object. Its form stands in docs/bootstrap.md."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

EARLIER_RUNS = 5
LONGEST_MESSAGE = 500


@dataclass
class StepRecord:
    """What became of a step."""

    name: str
    status: str
    """running, done, failed or skipped."""
    required: bool
    deferred: bool
    attempts: int = 0
    started: str | None = None
    seconds: float = 0.0
    exit_status: int | None = None
    """Of the last attempt; null where it took too long, or was not run."""
    message: str = ""
    """What was wrong and what to do, of one that failed."""


@dataclass
class StatusRecord:
    """What became of a node."""

    cluster: str | None = None
    instance_id: str | None = None
    instance_type: str | None = None
    instance_arn: str | None = None
    """Below it, the record and the logs of failed steps lie in the folder of the bucket."""
    role: str | None = None
    queue: str = ""
    hostname: str = ""
    gpus: list[str] = field(default_factory=list)
    """UUIDs, as far as the driver knows them."""
    release: str | None = None
    status: str = "running"
    """running, ready, deferred, failed or held."""
    message: str = ""
    """Why the node failed or is held."""
    started: str = ""
    seconds: float = 0.0
    steps: list[StepRecord] = field(default_factory=list)
    earlier: list[dict[str, Any]] = field(default_factory=list)
    """How earlier runs on this instance ended, the last one first."""

    def as_text(self) -> str:
        """Return the object."""
        return json.dumps({"schema": 1, **asdict(self)}, indent=2) + "\n"

    def remember(self, before: dict[str, Any] | None) -> None:
        """Keep how an earlier run ended. What an image holds of the instance that it was made of does not count."""
        if before is None or before.get("instance_id") != self.instance_id:
            return
        ended = {name: before.get(name) for name in ("started", "seconds", "status", "message")}
        if ended["status"] == "running":
            ended["status"] = "interrupted"
        earlier = before.get("earlier")
        self.earlier = [ended, *(earlier if isinstance(earlier, list) else [])][:EARLIER_RUNS]


def read_record(path: Path) -> dict[str, Any] | None:
    """Return a record as it was written, or nothing where there is none that can be read."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return values if isinstance(values, dict) and values.get("schema") == 1 else None


def record_from(values: dict[str, Any]) -> StatusRecord:
    """Return a record that was read, to be continued."""
    names = {field.name for field in fields(StatusRecord)} - {"steps"}
    steps = {field.name for field in fields(StepRecord)}
    record = StatusRecord(**{name: value for name, value in values.items() if name in names})
    record.steps = [
        StepRecord(**{name: step[name] for name in steps & step.keys()}) for step in values.get("steps", ())
    ]
    return record


def one_line(text: str) -> str:
    """Return a message as records hold it: one printable line of bearable length."""
    line = "".join(letter if letter.isprintable() else " " for letter in text).strip()
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"
