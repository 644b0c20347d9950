"""The environment that a cluster names: nothing is made, its stacks say what they have made."""

from __future__ import annotations

from trainyard.counts import count_text
from trainyard.deploy.step import Probe, StepOutcome
from trainyard.deploy.work import Work
from trainyard.edge.aws.stacks import StackState, stacks_tagged
from trainyard.errors import TrainyardError
from trainyard.render.tags import CLUSTER, ENVIRONMENT


class EnvironmentStep:
    """Takes the outputs of the environment's stacks."""

    name = "environment"
    title = "environment that the cluster uses"

    def probe(self, work: Work) -> Probe:
        """Say in which state it is."""
        stacks = self._stacks(work)
        broken = next((stack for stack in stacks if not stack.usable), None)
        if broken is not None:
            return Probe("under way" if broken.in_progress else "broken", f"{broken.name} {broken.status}")
        return Probe("there" if stacks else "missing", work.required_spec().environment or "")

    def apply(self, work: Work) -> StepOutcome:
        """Return what it has made. Raises TrainyardError where it is not there, or not whole."""
        name, probe = work.required_spec().environment, self.probe(work)
        if probe.state != "there":
            raise TrainyardError(
                f"environment {name} is {probe.state}{f': {probe.detail}' if probe.state != 'missing' else ''}",
                where="environment",
                hint="deploy the spec of the environment first",
            )
        outputs = {key: value for stack in self._stacks(work) for key, value in stack.outputs.items()}
        return StepOutcome(changed=False, detail=f"{name}: {count_text(len(outputs), 'output')}", outputs=outputs)

    def undo(self, work: Work) -> StepOutcome:
        """Leave it: other clusters use it too."""
        del work
        return StepOutcome(changed=False)

    def _stacks(self, work: Work) -> list[StackState]:
        tagged = stacks_tagged(work.account, ENVIRONMENT, work.required_spec().environment or "")
        return [stack for stack in tagged if CLUSTER not in stack.tags]
