"""What the spec no longer has: it goes last, when nothing uses it any more."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.stack import StackStep
from trainyard.deploy.work import Work
from trainyard.edge.aws.leftover_network import delete_leftover_groups


class Removals:
    """Makes the updates that only take away, in the reverse order of the stacks, and deletes stacks without use."""

    name = "removals"
    title = "what the spec no longer has"

    def __init__(self, steps: Sequence[StackStep], unneeded: Sequence[StackStep]) -> None:
        """Take the steps of all stacks in the order of their making, and which of the stacks nobody needs any more."""
        self._steps = steps
        self._unneeded = unneeded

    def probe(self, work: Work) -> Probe:
        """Name the stacks."""
        stacks = [step.stack_name(work) for step in self._unneeded] + [removal.state.name for removal in work.removals]
        return Probe("there", ", ".join(stacks)) if stacks else Probe("missing")

    def apply(self, work: Work) -> StepOutcome:
        """Take it away, and then the security groups that CloudFormation could not delete while they were in use."""
        changed = [self._remove(step, work) for step in reversed(self._steps)]
        groups = delete_leftover_groups(work.account, work.name, work.owns, wait=True)
        names = [name for name in changed if name] + [f"{groups} security groups"] * (groups > 0)
        return StepOutcome(changed=bool(names), detail=", ".join(names))

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing: each stack is deleted by its own step."""
        del work
        return StepOutcome(changed=False)

    def _remove(self, step: StackStep, work: Work) -> str:
        if step in self._unneeded:
            return step.undo(work).detail
        for removal in [removal for removal in work.removals if removal.state.name == step.stack_name(work)]:
            work.removals.remove(removal)
            reviewed = removal if removal.change_set is not None else None
            state = step.changed(work, removal.request, reviewed)
            return f"{state.name} {state.status}"
        return ""
