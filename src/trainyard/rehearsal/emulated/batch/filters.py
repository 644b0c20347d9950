"""The filters of ListJobs. https://docs.aws.amazon.com/batch/latest/APIReference/API_KeyValuesPair.html."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from trainyard.rehearsal.emulated.batch.state import refusal


def passes(job: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Say whether a job passes a filter. Raises the service's error for one that is not there."""
    if wanted["name"] not in _FILTERS:
        raise refusal(f"the emulated account has no filter {wanted['name']}")
    return any(_FILTERS[wanted["name"]](job, value) for value in wanted["values"])


def _has_name(job: Mapping[str, Any], value: str) -> bool:
    name, value = job["jobName"].lower(), value.lower()
    return bool(name.startswith(value[:-1]) if value.endswith("*") else name == value)


def _is_of_definition(job: Mapping[str, Any], value: str) -> bool:
    arn: str = job["jobDefinition"]
    name = arn.rpartition("/")[2].partition(":")[0]
    return value == arn or (name.startswith(value[:-1]) if value.endswith("*") else name == value)


def _is_before(job: Mapping[str, Any], value: str) -> bool:
    return bool(job["createdAt"] < _milliseconds(value))


def _is_after(job: Mapping[str, Any], value: str) -> bool:
    return bool(job["createdAt"] > _milliseconds(value))


def _milliseconds(value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise refusal(f"{value!r} is no number of milliseconds since 1970") from None


_FILTERS: dict[str, Callable[[Mapping[str, Any], str], bool]] = {
    "JOB_NAME": _has_name,
    "JOB_DEFINITION": _is_of_definition,
    "BEFORE_CREATED_AT": _is_before,
    "AFTER_CREATED_AT": _is_after,
}
