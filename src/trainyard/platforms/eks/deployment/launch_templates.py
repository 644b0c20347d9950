"""The stack with launch templates of node groups, which few clusters have."""

from __future__ import annotations

from dataclasses import dataclass

from trainyard.deploy.step import Outcome
from trainyard.deploy.steps.stack import StackStep
from trainyard.deploy.work import Work
from trainyard.edge.aws.stacks import find_stack
from trainyard.render.cloudformation.stack import Kind


@dataclass(frozen=True)
class EksLaunchTemplates(StackStep):
    """Made as the other stacks are."""

    kind: Kind = "nodes"

    def undo(self, work: Work) -> Outcome:
        """Delete it. Every destruction looks, also one of another platform beside which such a stack may stand."""
        found = find_stack(work.account, f"{work.name}-{self.kind}")
        if found is not None and not work.owns(found.tags):
            return Outcome(changed=False, detail=f"stack {found.name} is of somebody else")
        return super().undo(work)
