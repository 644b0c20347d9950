"""A queue of AWS Batch with several kinds of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues of Batch that list several compute resources, or several instance types."""
    for index, queue in enumerate(spec.queues):
        groups = tuple(spec.groups_in(queue))
        if len(groups) > 1:
            kinds = ", ".join(group.instance_type for group in groups)
            problem = (
                f"queue {queue.name!r} has {len(groups)} kinds of nodes ({kinds}), and a multi-node job runs on one"
            )
            yield Problem(("queues", index, "compute_resources"), problem)
        for group in groups:
            if len(group.instance_types) > 1:
                types = " or ".join(group.instance_types)
                problem = f"queue {queue.name!r} has nodes of any of {types}, and a multi-node job runs on one type"
                yield Problem((*group.path, "instance_types"), problem)


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="Several kinds of nodes in a queue of Batch",
    rationale=(
        "All nodes of a multi-node job have one instance type, which its job definition names. The launch template of "
        "a compute environment lists the network interfaces of that type, and EC2 refuses them on another."
    ),
    remedy="make a queue of each kind",
    source="https://docs.aws.amazon.com/batch/latest/userguide/mnp-node-groups.html",
    bad="""\
platform: batch
queues:
  - name: gpu
    compute_resources:
      - {instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}
      - {instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
""",
    good="""\
platform: batch
queues:
  - {name: p4d, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}
  - {name: p5, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
""",
    check=check,
)
