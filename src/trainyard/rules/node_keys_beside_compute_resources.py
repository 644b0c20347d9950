"""Settings of nodes on a queue that lists its nodes elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import OneKindOfNodes

_OF_NODES = tuple(OneKindOfNodes.field_names())


def check(spec: Spec) -> Iterator[Problem]:
    """Yield keys of single nodes that were written on a queue with compute resources."""
    for index, queue in enumerate(spec.queues):
        if queue.compute_resources is None:
            continue
        for key in _OF_NODES:
            if key in queue.written and getattr(queue, key) is not None:
                message = f"{key} on queue {queue.name!r} reaches none of its compute_resources"
                yield Problem(("queues", index, key), message, f"write {key} in each compute resource that it is for")


RULE = Rule(
    severity="error",
    title="Settings of nodes beside compute_resources",
    rationale=(
        "A queue is written in one of two forms: with the settings of its nodes, or with a list of compute resources "
        "that have settings of their own. In the second form those of the queue are ignored: nodes are launched on "
        "demand although the queue names a reservation."
    ),
    remedy="write the key in the compute resources",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues-ComputeResources",
    bad="""\
queues:
  - name: compute-gpu
    nodes: {min: 0, max: 8}
    compute_resources:
      - {instance_type: p5.48xlarge}
      - {instance_type: p4d.24xlarge}
""",
    good="""\
queues:
  - name: compute-gpu
    compute_resources:
      - {instance_type: p5.48xlarge, nodes: {min: 0, max: 8}}
      - {instance_type: p4d.24xlarge, nodes: {min: 0, max: 8}}
""",
    check=check,
)
