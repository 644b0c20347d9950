"""A step of a deployment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from trainyard.deploy.work import Work

State = Literal["missing", "there", "under way", "broken"]


class Probe(NamedTuple):
    """What a step finds without changing anything."""

    state: State
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a step did."""

    changed: bool
    """Whether anything is different now."""
    detail: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict)
    """Values that later steps use, by the names of stack outputs."""


class DeploymentStep(Protocol):
    """One part of a deployment. All three may be called at any time, in any state that a killed call left."""

    @property
    def name(self) -> str:
        """One word, with hyphens."""
        ...

    @property
    def title(self) -> str:
        """What it makes, in a few words."""
        ...

    def probe(self, work: Work) -> Probe:
        """Look, and change nothing."""
        ...

    def apply(self, work: Work) -> StepOutcome:
        """Bring it about. Does nothing where it is so already."""
        ...

    def undo(self, work: Work) -> StepOutcome:
        """Remove it. Does nothing where it is gone already."""
        ...
