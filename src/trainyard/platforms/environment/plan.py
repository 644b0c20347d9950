"""What a plan says of an environment beyond its stacks: nothing, there is no cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.deploy.plan.cost_line import CostLine
from trainyard.deploy.plan.expected_time import PlannedStage
from trainyard.deploy.plan.immutable_fields import ImmutableField
from trainyard.spec.cluster import Spec


def cost_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield nothing: there are no nodes."""
    del spec
    yield from ()


def stages(spec: Spec) -> Iterator[PlannedStage]:
    """Yield nothing."""
    del spec
    yield from ()


def immutable_fields(spec: Spec) -> Iterator[ImmutableField]:
    """Yield nothing."""
    del spec
    yield from ()
