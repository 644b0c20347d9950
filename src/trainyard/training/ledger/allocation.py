"""What one record of a job says: which nodes it had, and when; and the forms that numbers and times have in records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple


class JobSetStart(NamedTuple):
    """Which start of which JobSet a pod is of: one that is submitted again has another uid."""

    job_set: str
    number: int


class Allocation(NamedTuple):
    """Nodes that a job had from one time to another. ``part`` tells those apart that it had at once.

    With a ``start``, the record says itself which start of the job it is of.
    """

    run: str
    job: str
    part: str
    restart: int | None
    submitted_ms: int | None
    eligible_ms: int | None
    begin_ms: int | None
    end_ms: int | None
    state: str
    nodes: list[str]
    gpus: int
    start: JobSetStart | None = None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value that should be a mapping; an empty one where it is none."""
    return value if isinstance(value, Mapping) else {}


def number(value: Any) -> int | None:
    """Return a number that may be packed as {"set": true, "number": 5}, or be a text."""
    if isinstance(value, Mapping):
        return None if value.get("set") is False or value.get("infinite") is True else number(value.get("number"))
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 17:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def items(value: Any) -> list[Mapping[str, Any]]:
    """Return the mappings of a value that should be a list of them."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def milliseconds(value: int | None) -> int | None:
    """Return the milliseconds of seconds since 1970; None for 0, which stands for a time that has not come."""
    return value * 1000 if value and value < 2**40 else None


def moment_ms(text: Any) -> int | None:
    """Return milliseconds of a time of sacct or Kubernetes; one without a zone is taken for UTC."""
    if not isinstance(text, str):
        return None
    if text.isdecimal():
        return milliseconds(number(text))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
