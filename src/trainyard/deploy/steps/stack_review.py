"""What the spec changes of the stacks that exist, told and judged before anything is touched."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.counts import count_text
from trainyard.deploy.drift_review import refuse_overwriting
from trainyard.deploy.losses import refuse_losses
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.steps.stack import StackStep
from trainyard.deploy.update_review import UpdateReview, review_update
from trainyard.deploy.work import Work


class StackReview:
    """Asks CloudFormation for the changes of every stack, and refuses to lose data that is not given up by name."""

    name = "review"
    title = "what the spec changes of stacks that exist"

    def __init__(self, steps: Sequence[StackStep], unneeded: Sequence[StackStep]) -> None:
        """Take the steps of the spec's stacks, and those of stacks that it does not need and that may be there."""
        self._steps = steps
        self._unneeded = unneeded
        self.review = UpdateReview()

    def probe(self, work: Work) -> Probe:
        """Say which of them there are."""
        steps = (*self._steps, *self._unneeded)
        names = [step.stack_name(work) for step in steps if step.probe(work).state != "missing"]
        return Probe("there", ", ".join(names)) if names else Probe("missing")

    def apply(self, work: Work) -> StepOutcome:
        """Tell the changes. Raises TrainyardError where one is not to be made."""
        self.review = review_update(work, self._steps, self._unneeded)
        work.findings += self.review.findings
        for line in self.review.lines():
            work.tell(line)
        refuse_overwriting(work, f"stacks of {work.name}", tuple(map(str, self.review.overwrites)))
        refuse_losses(work, self.review.changes)
        count = len(self.review.changes)
        return StepOutcome(changed=False, detail=count_text(count, "change") if count else "none")

    def undo(self, work: Work) -> StepOutcome:
        """Do nothing."""
        del work
        return StepOutcome(changed=False)
