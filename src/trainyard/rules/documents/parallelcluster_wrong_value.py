"""A value that ParallelCluster's schema refuses for its type, or because it is none of the few that are possible."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from trainyard.catalog.parallelcluster_keys import Shape
from trainyard.document.node import Document
from trainyard.document.problems import short
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.parallelcluster.config import config_keys
from trainyard.rules.parallelcluster.placeholders import placeholder_in

# A rule of its own says of each version which it has; another tells of schedulers.
_JUDGED_ELSEWHERE = frozenset({"Os", "Scheduler"})
_TEXTS = {"boolean": ("true", "false", "yes", "no", "on", "off", "t", "f", "y", "n", "1", "0")}


# What the schema leaves to EC2. https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html
_VOLUME_TYPES = ["standard", "io1", "io2", "gp2", "st1", "sc1", "gp3"]
# https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
_INSTANCE_TYPE = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")


def check(document: Document) -> Iterator[Problem]:
    """Yield values that are of another type than the key's, or not among those that it takes."""
    for key in config_keys(document):
        if key.is_missing or key.shape is None or key.value is None or key.name in _JUDGED_ELSEWHERE:
            continue
        if key.shape.get("list"):
            if not isinstance(key.value, tuple):
                if placeholder_in(key.value) is None:
                    yield Problem(key.path, f"{key.name} is a list, not {_shown(key.value)}", "write a dash before it")
                continue
            for index, member in enumerate(key.value):
                yield from _problems(key.name, member, (*key.path, index), key.shape)
        else:
            yield from _problems(key.name, key.value, key.path, key.shape)


def _problems(name: str, value: Any, path: Path, shape: Shape) -> Iterator[Problem]:
    if value is None or placeholder_in(value) is not None:
        return
    if not _has_type(value, shape["type"]):
        remedy = f'put it in quotes: "{value}"' if shape["type"] == "string" and not isinstance(value, dict) else None
        yield Problem(path, f"{name} is {_TYPE_NAMES.get(shape['type'], 'a mapping')}, not {_shown(value)}", remedy)
    elif name == "InstanceType" and isinstance(value, str) and not _INSTANCE_TYPE.fullmatch(value):
        yield Problem(path, f"{name} cannot be {_shown(value)}", "write a name such as p5.48xlarge")
    elif (values := _values(name, shape)) and value not in values and not _same(value, values):
        choices = [str(one).upper() for one in values]
        close = get_close_matches(value.upper(), choices, n=1, cutoff=0.6) if isinstance(value, str) else []
        meant = next((one for one in values if close and str(one).upper() == close[0]), None)
        said = f"; did you mean {meant}?" if meant is not None else ""
        yield Problem(path, f"{name} cannot be {_shown(value)}{said}", f"one of {', '.join(map(str, values))}")
    elif isinstance(value, int) and not shape.get("least", value) <= value <= shape.get("most", value):
        most = f" to {shape['most']}" if "most" in shape else " or more"
        yield Problem(path, f"{name} cannot be {value}", f"write {shape.get('least', 0)}{most}")


def _values(name: str, shape: Shape) -> list[Any]:
    return shape.get("values") or (_VOLUME_TYPES if name == "VolumeType" else [])


_TYPE_NAMES = {
    "string": "text", "integer": "a whole number", "boolean": "true or false", "number": "a number",
}  # fmt: skip


def _has_type(value: Any, type_: str) -> bool:
    match type_:
        case "string":
            return isinstance(value, str)
        case "integer":
            return _is_number(value) and float(value).is_integer()
        case "number":
            return _is_number(value)
        case "boolean":
            return isinstance(value, bool | int) or (isinstance(value, str) and value.lower() in _TEXTS["boolean"])
        case "any":
            return True
    return isinstance(value, dict)


def _is_number(value: Any) -> bool:
    """Return whether marshmallow makes a number of a value: text with digits is one, too."""
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return not isinstance(value, bool) or value in (True, False)


def _same(value: Any, values: list[Any]) -> bool:
    return any(isinstance(one, int) and _is_number(value) and float(value) == one for one in values)


def _shown(value: Any) -> str:
    match value:
        case dict():
            return "a mapping"
        case tuple():
            return "a list"
        case bool():
            return "true" if value else "false"
        case str():
            return short(value)
    return str(value)


RULE = DocumentRule(
    severity="error",
    title="Value that ParallelCluster refuses",
    rationale=(
        "ParallelCluster's schema names for each key a type, and for many the values or the range that are possible. "
        "Numbers and true are no text: arguments of scripts and values of tags need quotes."
    ),
    remedy="write a value of the kind that the key takes",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html",
    bad="""\
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: gpu
      CapacityType: ON_DEMAND
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources: [{Name: p5, InstanceType: p5.48xlarge, Efa: {Enabled: true}}]
""",
    good="""\
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: gpu
      CapacityType: ONDEMAND
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources: [{Name: p5, InstanceType: p5.48xlarge, Efa: {Enabled: true}}]
""",
    check=check,
)
