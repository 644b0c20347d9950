"""What a node writes about its bootstrap, read as input from a stranger: whoever is root on it decides what it says.

The form is that of docs/bootstrap.md. What is not of that form is one BadRecordError, with words for one line.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from trainyard.edge.aws.nodes import MONITORING, ClusterNode

SCHEMA = 1
MOST_BYTES = 256 * 1024
"""A record of fifteen steps, each with a long message, takes a tenth of this."""
_MOST_STEPS = 100
_LONGEST_MESSAGE = 500
_MOST_SECONDS = 1e9
_LATEST = 4_102_444_800.0  # the year 2100
STATUSES = ("running", "ready", "deferred", "failed", "held")
STEP_STATUSES = ("done", "failed", "skipped", "running")
# Names are shown in commands to be typed, so they hold nothing that a shell would understand.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_GPU = re.compile(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST_GPUS = 64
_RELEASE = re.compile(r"[0-9a-f]{64}")


_ROLES = {"HeadNode": "head", "LoginNode": "login", "Compute": "compute", MONITORING: "monitoring"}
# Of ParallelCluster, and of EC2: https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/hostname-types.html
_OF_QUEUE = re.compile(r"(.+-(?:st|dy)-.+-)[0-9]+")
_OF_ADDRESS = re.compile(r"ip((?:-[0-9]{1,3}){4})")


class BadRecordError(ValueError):
    """This is no record of a bootstrap."""


@dataclass(frozen=True, slots=True)
class StepRecord:
    """One step of a bootstrap, as far as it came."""

    name: str
    status: str
    """done, failed, skipped or running."""
    required: bool
    deferred: bool
    attempts: int | None
    started: float | None
    """In seconds since 1970, by the clock of the node."""
    seconds: float | None
    exit_status: int | None
    message: str


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """The bootstrap of one node, as far as it came."""

    instance_id: str
    instance_type: str
    role: str
    """head, login, compute-gpu and so on; unknown where it failed before it knew."""
    queue: str | None
    hostname: str
    release: str | None
    """SHA-256 of what it runs."""
    status: str
    """running, ready, deferred, failed or held."""
    message: str
    """Why it failed or is held; empty otherwise."""
    started: float | None
    """In seconds since 1970, by the clock of the node."""
    seconds: float | None
    steps: tuple[StepRecord, ...]
    gpus: frozenset[str] = frozenset()
    """UUIDs of its GPUs, by its own words; none where it has none, or an older release ran."""

    @property
    def usable(self) -> bool:
        """Return whether everything required is there."""
        return self.status in ("ready", "deferred")

    @property
    def step(self) -> StepRecord | None:
        """Return the required step that failed, or else the one that runs; None where there is neither."""
        failed = (step for step in self.steps if step.status == "failed" and step.required)
        running = (step for step in reversed(self.steps) if step.status == "running")
        if self.status in ("failed", "held"):
            return next(failed, None)
        return None if self.status == "ready" else next(running, None)


def read_record(content: bytes, instance_id: str) -> NodeRecord:
    """Return the record of an instance. Raises BadRecordError where the content is none, or another node's."""
    if len(content) > MOST_BYTES:
        raise BadRecordError(f"it is longer than {MOST_BYTES // 1024} KiB")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        raise BadRecordError("it is not JSON") from None
    if not isinstance(value, dict):
        raise BadRecordError("it is no JSON object")
    if value.get("schema") != SCHEMA:
        raise BadRecordError(f"its schema is not {SCHEMA}; a later version of trainyard may read it")
    record = _record(value)
    if record.instance_id != instance_id:
        raise BadRecordError(f"it is about instance {record.instance_id}")
    return record


def role_of(instance: ClusterNode) -> str:
    """Return head, login, compute or monitoring, as EC2 has it."""
    return _ROLES.get(instance.role, instance.role)


def disagreement(record: NodeRecord, instance: ClusterNode) -> str | None:
    """Return what a record says otherwise than EC2; None where they agree, or one of them says nothing."""
    role = record.role.partition("-")[0]
    pairs = (
        ("role", None if role == "unknown" else role, role_of(instance)),
        ("queue", record.queue, instance.queue),
        ("instance type", record.instance_type or None, instance.instance_type),
        ("host name", record.hostname.partition(".")[0], _host_name(record.hostname.partition(".")[0], instance)),
    )
    for what, says, is_ in pairs:
        if says and says != is_:
            return f"its {what} is {says} by its own words and {is_ or 'none'} by EC2's"
    return None


def _host_name(says: str, instance: ClusterNode) -> str:
    """Return a host name that an instance can have: what it says, unless that is the name of another one."""
    if match := _OF_QUEUE.fullmatch(says):
        names = [f"{instance.queue}-{kind}-{instance.compute_resource}-" for kind in ("st", "dy")]
        return says if match[1] in names else f"that of a node of {instance.queue or 'no queue'}"
    if (match := _OF_ADDRESS.fullmatch(says)) and instance.private_address:
        return f"ip-{instance.private_address.replace('.', '-')}"
    return says


def _record(value: dict[str, Any]) -> NodeRecord:
    return NodeRecord(
        instance_id=_name(value, "instance_id"),
        instance_type=_name_or_none(value, "instance_type") or "",
        role=_name_or_none(value, "role") or "unknown",
        queue=_name_or_none(value, "queue"),
        hostname=_name_or_none(value, "hostname") or "",
        release=_release(value),
        status=_one_of(value, "status", STATUSES),
        message=_message(value),
        started=_time(value, "started"),
        seconds=_number(value, "seconds"),
        steps=_steps(value),
        gpus=_gpus(value),
    )


def _gpus(value: dict[str, Any]) -> frozenset[str]:
    gpus = value.get("gpus") or []
    if not isinstance(gpus, list) or len(gpus) > _MOST_GPUS:
        raise BadRecordError(f"gpus is no list of {_MOST_GPUS} GPUs at most")
    if not all(isinstance(gpu, str) and _GPU.fullmatch(gpu) for gpu in gpus):
        raise BadRecordError("gpus holds what is no UUID of a GPU")
    return frozenset(gpus)


def _steps(value: dict[str, Any]) -> tuple[StepRecord, ...]:
    steps = value.get("steps")
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise BadRecordError("steps is no list of objects")
    if len(steps) > _MOST_STEPS:
        raise BadRecordError(f"it has more than {_MOST_STEPS} steps")
    return tuple(map(_step, steps))


def _step(value: dict[str, Any]) -> StepRecord:
    return StepRecord(
        name=_name(value, "name"),
        status=_one_of(value, "status", STEP_STATUSES),
        required=_flag(value, "required", missing=True),
        deferred=_flag(value, "deferred", missing=False),
        attempts=_whole(value, "attempts"),
        started=_time(value, "started"),
        seconds=_number(value, "seconds"),
        exit_status=_whole(value, "exit_status"),
        message=_message(value),
    )


def _name(value: dict[str, Any], key: str) -> str:
    field_value = _name_or_none(value, key)
    if field_value is None:
        raise BadRecordError(f"{key} is missing")
    return field_value


def _name_or_none(value: dict[str, Any], key: str) -> str | None:
    field_value = value.get(key)
    if field_value is None or field_value == "":
        return None
    if not isinstance(field_value, str) or not _NAME.fullmatch(field_value):
        raise BadRecordError(f"{key} is no name")
    return field_value


def _release(value: dict[str, Any]) -> str | None:
    field_value = value.get("release")
    if field_value is None:
        return None
    if not isinstance(field_value, str) or not _RELEASE.fullmatch(field_value):
        raise BadRecordError("release is no SHA-256")
    return field_value


def _one_of(value: dict[str, Any], key: str, allowed: tuple[str, ...]) -> str:
    field_value = value.get(key)
    if not isinstance(field_value, str) or field_value not in allowed:
        raise BadRecordError(f"{key} is not {', '.join(allowed[:-1])} or {allowed[-1]}")
    return field_value


def _flag(value: dict[str, Any], key: str, *, missing: bool) -> bool:
    field_value = value.get(key, missing)
    if not isinstance(field_value, bool):
        raise BadRecordError(f"{key} is neither true nor false")
    return field_value


def _number(value: dict[str, Any], key: str) -> float | None:
    field_value = value.get(key)
    if field_value is None:
        return None
    # NaN is within no bounds.
    if (
        isinstance(field_value, bool)
        or not isinstance(field_value, int | float)
        or not 0 <= field_value <= _MOST_SECONDS
    ):
        raise BadRecordError(f"{key} is no number of seconds")
    return float(field_value)


def _whole(value: dict[str, Any], key: str) -> int | None:
    field_value = value.get(key)
    if field_value is None:
        return None
    if isinstance(field_value, bool) or not isinstance(field_value, int) or abs(field_value) > 10**6:
        raise BadRecordError(f"{key} is no whole number")
    return field_value


def _time(value: dict[str, Any], key: str) -> float | None:
    field_value = value.get(key)
    if field_value is None or field_value == "":
        return None
    try:
        moment = datetime.fromisoformat(field_value)
        seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, OverflowError):
        seconds = -1.0
    if not 0 <= seconds <= _LATEST:
        raise BadRecordError(f"{key} is no time such as 2026-11-21T12:00:00Z")
    return seconds


def _message(value: dict[str, Any]) -> str:
    field_value = value.get("message")
    if field_value is not None and not isinstance(field_value, str):
        raise BadRecordError("message is no text")
    text = " ".join((field_value or "").split())
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"
