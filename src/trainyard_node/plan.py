"""plan.json: which steps a node runs, and the settings that they read, checked as if a stranger had written it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from trainyard_node.errors import NodeError

STEP_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
STEP_SCRIPT = re.compile(r"steps/[0-9]{2}-[a-z0-9-]+\.sh")


class Step(NamedTuple):
    """One script, and how it is run."""

    name: str
    script: str
    required: bool
    network: bool
    timeout_s: float
    deferred: bool

    @property
    def log_name(self) -> str:
        """What its log is called, such as 20-efa.log."""
        return self.script.rpartition("/")[2][: -len(".sh")] + ".log"


class Plan(NamedTuple):
    """What one kind of nodes does."""

    cluster: str
    region: str
    on_failure: str
    settings: Mapping[str, str]
    by_type: Mapping[str, Mapping[str, str]]
    """Settings that differ between the instance types of a queue, by type."""
    steps: tuple[Step, ...]

    def deferred(self, *, required: bool) -> list[Step]:
        """Return the steps that run once Slurm does: those that jobs wait for, or the others."""
        return [step for step in self.steps if step.deferred and step.required == required]


def read_plan(release: Path, entry: str) -> Plan:
    """Return the plan of the nodes that an entry is for: head, login or queue/NAME."""
    try:
        values = json.loads((release / "plan.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(release, f"it cannot be read ({error})") from error
    try:
        return _plan(values, entry, release)
    except _WrongError as wrong:
        raise _damaged(release, str(wrong)) from wrong


class _WrongError(Exception):
    pass


def _damaged(release: Path, why: str) -> NodeError:
    return NodeError(f"plan.json of the release in {release} is damaged: {why}; publish the release again")


def _plan(values: Any, entry: str, release: Path) -> Plan:
    _hold(isinstance(values, dict) and values.get("schema") == 1, "its schema is not 1")
    nodes = _get(values, "nodes", _is_mapping)
    _hold(entry in nodes, f"it says nothing about {entry!a}, only about {', '.join(map(ascii, sorted(nodes)))}")
    node = nodes[entry]
    _hold(_is_mapping(node), f"{entry!a} is no mapping")
    return Plan(
        cluster=_get(values, "cluster", _is_name),
        region=_get(values, "region", _is_name),
        on_failure=_get(values, "on_failure", lambda value: value in {"terminate", "hold"}),
        settings=_get(node, "settings", _is_texts),
        by_type=_get({"types": {}, **node}, "types", _are_texts),
        steps=tuple(_step(value_, release) for value_ in _get(node, "steps", lambda value: isinstance(value, list))),
    )


def _step(values: Any, release: Path) -> Step:
    _hold(_is_mapping(values), "a step is no mapping")
    step = Step(
        name=_get(values, "name", lambda value: isinstance(value, str) and bool(STEP_NAME.fullmatch(value))),
        script=_get(values, "script", lambda value: isinstance(value, str) and bool(STEP_SCRIPT.fullmatch(value))),
        required=_get(values, "required", _is_bool),
        network=_get(values, "network", _is_bool),
        timeout_s=_get(values, "timeout_s", _is_duration),
        deferred=_get(values, "deferred", _is_bool),
    )
    _hold((release / step.script).is_file(), f"{step.script} is missing in the release")
    return step


def _get(values: Mapping[str, Any], name: str, is_right: Callable[[Any], bool]) -> Any:
    _hold(name in values, f"{name} is missing")
    _hold(is_right(values[name]), f"{name} is {values[name]!a:.60}")
    return values[name]


def _hold(right: bool, why: str) -> None:  # noqa: FBT001 - read as an assertion
    if not right:
        raise _WrongError(why)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _is_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_texts(texts) for texts in value.values())


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]*", value))


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_duration(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 86_400
