"""A list, mapping or plain value where eksctl reads another of them, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.catalog.eksctl_keys import Shape
from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.eksctl.written_keys import written_keys


def check(document: Document) -> Iterator[Problem]:
    """Yield values of another shape than eksctl's key has. What is empty counts as left out."""
    for written in written_keys(document):
        expected, actual = _expected(written.known.get(written.key, True)), _shape(written.value)
        if written.value is not None and expected not in (None, actual):
            remedy = "begin each line of it with a dash" if expected == "a list" else f"write {expected}"
            yield Problem(written.path, f"{written.key} is {actual}, and eksctl reads {expected} there", remedy)
        elif isinstance(written.value, tuple):
            yield from _members(written.path, written.value, written.known.get(written.key, True))


def _members(path: Path, members: tuple[Any, ...], shape: Shape) -> Iterator[Problem]:
    """Yield members of a list of mappings that are none, such as what stands behind a dash too many."""
    if not isinstance(shape, list) or not shape or not isinstance(shape[0], str):
        return
    for index, member in enumerate(members):
        if not isinstance(member, dict):
            shape_of_member = "empty" if member is None else _shape(member)
            message = f"{path[-1]}[{index}] is {shape_of_member}, and eksctl reads a mapping there"
            yield Problem((*path, index), message, "write its keys there, or remove the dash")


def _expected(shape: Shape) -> str | None:
    if shape is True:
        return None
    if shape is None:
        return "a single value"
    return "a list" if isinstance(shape, list) else "a mapping"


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, tuple) else "a single value"


RULE = DocumentRule(
    severity="error",
    title="List, mapping or single value in each other's place",
    rationale=(
        "Lines without dashes are one text to YAML, however many they are, and eksctl refuses the file with an error "
        "that names a Go type and no line."
    ),
    remedy="write what eksctl's schema has there",
    source="https://github.com/eksctl-io/eksctl/issues/2099",
    bad="""\
availabilityZones:
  us-east-2a
  us-east-2b
""",
    good="""\
availabilityZones:
  - us-east-2a
  - us-east-2b
""",
    check=check,
)
