"""Rules: what a spec can say that is valid and yet wrong. One file a rule, found by looking into this folder.

A rule takes a spec and yields paths in it; it never sees files or lines, and never asks AWS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path as FilePath

from trainyard.finding_kinds import FindingKind, Problem, kinds_in
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

__all__ = ["Problem", "Rule", "all_rules"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)  # every check makes it
class Rule(FindingKind):
    """A rule: a kind of findings about specs, with what looks for it."""

    bad: str
    """Part of a spec that the rule objects to."""
    good: str
    """The same, put right."""
    check: Callable[[Spec], Iterator[Problem]]

    def problems(self, spec: Spec) -> Iterator[Problem]:
        """Yield what the rule objects to; nothing where it does not apply to the platform."""
        if self.applies_on(platform_of(spec)):
            yield from self.check(spec)


@cache
def all_rules() -> tuple[Rule, ...]:
    """Return every rule, in the order of their ids."""
    return kinds_in(FilePath(__file__).parent, __name__, "RULE", Rule)
