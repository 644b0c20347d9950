"""Nodes that run anyway and get jobs after those that have to be started."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

# https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-StaticNodePriority
_STATIC, _DYNAMIC = 1, 1000


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues in which some nodes that always run come no earlier than some that start when needed."""
    for queue in spec.queues:
        groups = list(spec.groups_in(queue))
        static = [(_static(group), group) for group in groups if group.min_nodes > 0]
        dynamic = [(_dynamic(group), group) for group in groups if group.max_nodes > group.min_nodes]
        if static and dynamic:
            last, always = max(static, key=lambda item: item[0])
            first, later = min(dynamic, key=lambda item: item[0])
            if last >= first:
                yield _problem(always, last, later, first)


def _static(group: NodeGroup) -> int:
    return group.settings.static_priority or _STATIC


def _dynamic(group: NodeGroup) -> int:
    return group.settings.dynamic_priority or _DYNAMIC


def _problem(always: NodeGroup, last: int, later: NodeGroup, first: int) -> Problem:
    static_is_written = always.settings.static_priority is not None
    path = (*always.path, "static_priority") if static_is_written else (*later.path, "dynamic_priority")
    return Problem(
        path,
        f"queue {always.queue.name!r} gives {always.instance_type} that always run priority {last:,}, "
        f"and {later.instance_type} that start when needed {first:,}",
    )


RULE = Rule(
    severity="warning",
    title="Running nodes after nodes to be started",
    rationale=(
        "Slurm fills nodes in the order of their priority, the lowest number first. Where nodes that always run come "
        "last or have the same number, instances are started and paid for beside nodes that wait for work. "
        "ParallelCluster warns of it, too (SlurmNodePrioritiesWarningValidator)."
    ),
    remedy="give nodes that always run lower numbers than those that start when needed; by default 1 and 1000",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-StaticNodePriority",
    bad="""\
queues:
  - name: compute-cpu
    instance_type: m5.8xlarge
    nodes: {min: 1, max: 4}
    static_priority: 2000
""",
    good="""\
queues:
  - name: compute-cpu
    instance_type: m5.8xlarge
    nodes: {min: 1, max: 4}
    static_priority: 10
""",
    check=check,
)
