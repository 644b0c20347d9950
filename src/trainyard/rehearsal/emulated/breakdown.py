"""What breaks down on purpose in the emulated account, and what nodes then write: breakdowns/<name>.yaml.

Lines are those of the programs that write them; told/ holds what several breakdowns have in common. Texts are templates
of ``string.Template``; ``node_logs.py`` says what stands for their words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

from trainyard.rehearsal.emulated.faults import FAULTS

_FOLDER = Path(__file__).with_name("breakdowns")
_TOLD = Path(__file__).with_name("log_texts")


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Something that goes wrong."""

    name: str
    what: str
    """In the words of a sentence that goes on: the account may run fewer vCPUs than …"""
    source: str
    """Where it happened, or the code or page that says what is written then."""
    strikes: Literal["resource", "launch", "head", "nodes", "pods", "api"]
    """What fails: a resource of a stack, the launch of nodes, the head node, nodes on their way up; of a cluster of EKS
    pods or the API server."""
    message: str = ""
    """What AWS says."""
    resource: str = ""
    """The type of the resource."""
    needs: str = ""
    """What a spec has to have for it, by a name of rehearsal/report/conditions.py."""
    code: str = ""
    """The code with which EC2 refuses the launch."""
    failure: str = ""
    """What ParallelCluster calls such a failure of a launch."""
    signal: str = ""
    """What the head node tells CloudFormation. Without it, it never says anything."""
    action: str = ""
    """What the head node writes of its custom action."""
    silent: bool = False
    """Whether nothing of the compute nodes reaches CloudWatch."""
    image: str = ""
    """A part of the images of pods that fail."""
    lines: tuple[Mapping[str, Any], ...] = ()
    then: str = ""
    """What the head node writes at the end, of told/."""


@cache
def breakdowns() -> dict[str, Breakdown]:
    """Return every breakdown by its name."""
    return {file.stem: _read(file) for file in sorted(_FOLDER.glob("*.yaml"))}


def planned_breakdown() -> Breakdown | None:
    """Return the one that is to happen in this account."""
    return breakdowns()[FAULTS.breakdown] if FAULTS.breakdown else None


def breakdown_at(what: str) -> Breakdown | None:
    """Return the one that is to happen, if it strikes there."""
    breakdown = planned_breakdown()
    return breakdown if breakdown is not None and breakdown.strikes == what else None


@cache
def shared_lines(name: str) -> Sequence[Mapping[str, Any]]:
    """Return lines that several breakdowns have in common."""
    lines: list[Mapping[str, Any]] = _load(_TOLD / f"{name}.yaml")
    return lines


@cache
def words(name: str) -> Mapping[str, Any]:
    """Return a table of told/."""
    table: Mapping[str, Any] = _load(_TOLD / f"{name}.yaml")
    return table


def _read(file: Path) -> Breakdown:
    values = _load(file)
    return Breakdown(name=file.stem, **{**values, "lines": tuple(values.get("lines", ()))})


def _load(file: Path) -> Any:
    return yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
