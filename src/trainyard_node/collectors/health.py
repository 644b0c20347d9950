"""The health of the node, as `trainyard-node health` sees it."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard_node.health.checks import Checks
from trainyard_node.health.machine import this_machine
from trainyard_node.health.outcome import STATUSES, Outcome, is_healthy, worst_by_check
from trainyard_node.machine import World
from trainyard_node.samples import Samples

# Devices of a node are at most some dozens; what a broken one says of itself may be anything.
_MOST_PROBLEMS = 200


class HealthCollector:
    """Runs all checks every five minutes: they start programs and ask every GPU, which jobs should hardly notice."""

    name = "health"
    interval_s = 300.0
    deadline_s = 15.0

    def __init__(self, world: World, checks: Checks | None = None) -> None:
        """Begin nothing yet."""
        self._world, self._checks = world, checks or Checks()

    def collect(self) -> Samples:
        """Check once. A check that fails or finds no hardware is a sample, and no failure of the collector."""
        return samples_of(self._checks.run(this_machine(self._world)))


def samples_of(outcomes: Sequence[Outcome]) -> Samples:
    """Return each check in all states, of which one is 1, and each device that something is wrong with."""
    samples = Samples("node_health")
    samples.add("trainyard_node_healthy", int(is_healthy(outcomes)))
    for check, worst in worst_by_check(outcomes).items():
        for status in STATUSES:
            samples.add("trainyard_health_check", int(status == worst), check, status)
    problems = [outcome for outcome in outcomes if outcome.status not in {"ok", "absent"}]
    for problem in problems[:_MOST_PROBLEMS]:
        labels = (problem.check, problem.device, problem.status, problem.code, problem.text)
        samples.add("trainyard_health_problem", 1, *labels)
    return samples
