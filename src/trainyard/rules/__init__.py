"""Rules: what a spec can say that is valid and yet wrong. One file a rule, found by looking into this folder.

A rule takes a spec and yields paths in it; it never sees files or lines, and never asks AWS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path as FilePath
from typing import NamedTuple

from trainyard.finding import Path, Severity
from trainyard.spec.cluster import Spec


class Problem(NamedTuple):
    """What a rule found: where in the spec, and what is wrong with the user's own values."""

    path: Path
    message: str
    remedy: str | None = None
    """What to do in this case, where the rule's own remedy is too general."""
    severity: Severity | None = None
    """Where this case weighs less or more than the rule usually does."""


class Rule(NamedTuple):
    """A rule and all that is to be said about it. Its id is the name of its file, spelt with hyphens."""

    severity: Severity
    title: str
    """What it notices, as the heading of its documentation."""
    rationale: str
    """Why that is wrong, and what it costs."""
    remedy: str
    source: str
    """URL of the documentation, code or thread that says so."""
    bad: str
    """Part of a spec that the rule objects to. What a whole spec needs besides is taken from ``EXAMPLE_REST``."""
    good: str
    """The same, put right."""
    check: Callable[[Spec], Iterator[Problem]]


class NamedRule(NamedTuple):
    """A rule under its id."""

    id: str
    rule: Rule


EXAMPLE_REST = {
    "name": "name: example",
    "region": "region: us-east-2",
    "platform": "platform: parallelcluster",
    "queues": "queues: [{name: compute-gpu, instance_type: p5.48xlarge}]",
}

_OF_CLUSTERS = {"platform", "queues"}


def example_spec(part: str) -> str:
    """Return a whole spec around a rule's example. The example keeps its line numbers."""
    written = {line.split(":")[0] for line in part.splitlines()}
    if "kind: environment" in part:
        written |= _OF_CLUSTERS
    return "\n".join([part.rstrip(), *(rest for key, rest in EXAMPLE_REST.items() if key not in written)]) + "\n"


@cache
def all_rules() -> tuple[NamedRule, ...]:
    """Return every rule, in the order of their ids."""
    names = sorted(file.stem for file in FilePath(__file__).parent.glob("*.py") if file.stem != "__init__")
    return tuple(NamedRule(name.replace("_", "-"), import_module(f"{__name__}.{name}").RULE) for name in names)
