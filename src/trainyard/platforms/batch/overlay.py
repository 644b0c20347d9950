"""What is wrong with the overlay of AWS Batch's stack: resources that it has not, and keys that the spec decides."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.errors import TrainyardError
from trainyard.finding_kinds import Problem
from trainyard.platforms.batch.rendering.documents import stacks
from trainyard.render.cloudformation.stack_overlay import stack_resource_problems
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec


def problems(spec: Spec) -> Iterator[Problem]:
    """Yield resources that the stack has not, keys that CloudFormation does not know, and those that are rendered."""
    plain = spec.replaced(batch=spec.batch.replaced(overlay={}), stack_overlays=spec.stack_overlays.emptied())
    try:
        (stack,) = stacks(plain, Ids({}))
    except TrainyardError:  # the rules say why there is none
        return
    yield from stack_resource_problems(stack, spec.batch.overlay, ("batch", "overlay"))
