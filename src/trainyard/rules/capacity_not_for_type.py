"""A way to get instances that AWS does not offer for their type."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# Reservations are consumed by on-demand launches.
_USAGE_CLASSES = {"spot": "spot", "capacity_block": "capacity-block"}


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes of which some type is known not to be sold as their capacity asks for."""
    for group in spec.node_groups():
        usage = _USAGE_CLASSES.get(group.capacity_kind, "on-demand")
        for facts in map(find, dict.fromkeys(group.instance_types)):
            if facts is not None and facts.usage_classes is not None and usage not in facts.usage_classes:
                offered = ", ".join(facts.usage_classes).replace("-block", " block")
                message = f"queue {group.queue.name!r} takes {facts.name} from {group.capacity_kind.replace('_', ' ')}"
                yield Problem((*group.path, "capacity"), message, f"AWS offers {facts.name} as {offered}")


RULE = Rule(
    severity="error",
    title="Capacity that the instance type does not have",
    rationale=(
        "Not every type is sold in every way: HPC types have no spot market, and Capacity Blocks are for large "
        "accelerated types. ParallelCluster refuses what EC2 does not list for the type (CapacityTypeValidator)."
    ),
    remedy="choose a capacity that `trainyard instances TYPE` lists in usage_classes",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html",
    bad="""\
queues:
  - name: compute-cpu
    instance_type: hpc7a.96xlarge
    nodes: {min: 0, max: 8}
    capacity: spot
""",
    good="""\
queues:
  - name: compute-cpu
    instance_type: hpc7a.96xlarge
    nodes: {min: 0, max: 8}
    capacity: on-demand
""",
    check=check,
)
