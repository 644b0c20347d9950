"""Software for accelerators on nodes that have none, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.finding import Severity
from trainyard.launch.setup import fitting_setup, setup_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes whose setup does not fit the accelerators that they are known to have."""
    for group in spec.node_groups():
        setup = setup_of(spec, group.queue)
        path = (*group.path[:2], "setup") if group.queue.setup else ("software", "setup")
        for facts in map(find, group.instance_types):
            if facts is not None and (misfit := _misfit(setup, facts)) is not None:
                message, severity = misfit
                yield Problem(path, message, _remedy(group, facts), severity)


def _misfit(setup: str, facts: InstanceType) -> tuple[str, Severity] | None:
    fitting = fitting_setup(facts)
    if fitting is None:
        return None
    if setup in ("gpu", "neuron") and setup != fitting:
        return f"setup {setup} on {facts.name}, which has {_accelerators(facts)}", "error"
    if setup == "cpu" and fitting != "cpu":
        return f"setup cpu leaves {_accelerators(facts)} of {facts.name} without their software", "warning"
    return None


def _accelerators(facts: InstanceType) -> str:
    if facts.accelerators is None:
        return "no accelerators"
    return f"{facts.accelerators.count} {facts.accelerators.model}"


def _remedy(group: NodeGroup, facts: InstanceType) -> str:
    return f"write setup: {fitting_setup(facts)} in queue {group.queue.name!r}"


RULE = Rule(
    severity="error",
    title="Setup that does not fit the instance type",
    rationale=(
        "The GPU setup requires NVIDIA devices: nodes without them never take jobs, and are replaced until the cluster "
        "enters protected mode. The CPU setup on accelerated nodes leaves expensive devices without their software."
    ),
    remedy="give the queue the setup that fits its instance type",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html",
    bad="""\
queues:
  - name: preprocess
    instance_type: m5.8xlarge
    setup: gpu
""",
    good="""\
queues:
  - name: preprocess
    instance_type: m5.8xlarge
    setup: cpu
""",
    check=check,
)
