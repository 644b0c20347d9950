"""Nodes of AWS Batch in a public subnet."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield queues of Batch whose nodes stand in a public subnet."""
    existing = spec.network.existing
    public = {"public", *(() if existing is None else existing.public_subnets)}
    for index, queue in enumerate(spec.queues):
        if queue.subnet in public:
            problem = (
                f"queue {queue.name!r} stands in subnet {queue.subnet}, where its containers reach nothing outside"
            )
            yield Problem(("queues", index, "subnet"), problem)


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="Multi-node jobs in a public subnet",
    rationale=(
        "Containers of multi-node jobs have a network interface of their own, without a public address, and in a "
        "public subnet they reach neither the internet nor AWS; nor does an instance with several network interfaces."
    ),
    remedy="write subnet: private, or remove it",
    source="https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-networking-awsvpc.html",
    bad="""\
platform: batch
queues: [{name: gpu, instance_type: g5.xlarge, nodes: {min: 0, max: 4}, subnet: public}]
""",
    good="""\
platform: batch
queues: [{name: gpu, instance_type: g5.xlarge, nodes: {min: 0, max: 4}, subnet: private}]
""",
    check=check,
)
