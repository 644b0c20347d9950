"""An instance type that is listed twice."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield lists of instance types that name one of them more than once."""
    for group in spec.node_groups():
        repeated = dict.fromkeys(name for name in group.instance_types if group.instance_types.count(name) > 1)
        for name in repeated:
            message = f"queue {group.queue.name!r} lists {name} {group.instance_types.count(name)} times"
            yield Problem((*group.path, "instance_types"), message)


RULE = Rule(
    severity="error",
    title="Instance type that repeats",
    rationale=(
        "Naming a type again does not make it likelier to be chosen, and ParallelCluster refuses the compute resource "
        "(no_duplicate_instance_types). Mostly another type was meant."
    ),
    remedy="name each type once",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-ComputeResources-Instances",
    bad="""\
queues:
  - name: preprocess
    instance_types: [m5.8xlarge, m5.8xlarge]
    nodes: {min: 0, max: 8}
""",
    good="""\
queues:
  - name: preprocess
    instance_types: [m5.8xlarge]
    nodes: {min: 0, max: 8}
""",
    check=check,
)
