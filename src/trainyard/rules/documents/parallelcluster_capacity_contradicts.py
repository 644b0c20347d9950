"""A CapacityType of ParallelCluster that does not go with the reservation, or lacks one."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.parallelcluster.config import queues


def check(document: Document) -> Iterator[Problem]:
    """Yield spot queues with a reservation, and Capacity Blocks without one."""
    for queue in queues(document):
        kind = queue.written.get("CapacityType")
        of_queue = mapping_in(queue.written, "CapacityReservationTarget")
        for path, resource in queue.compute_resources:
            target = mapping_in(resource, "CapacityReservationTarget") or of_queue
            if kind == "SPOT" and target:
                yield Problem((*queue.path, "CapacityType"), f"queue {queue.name!r} is spot and targets a reservation")
            if kind == "CAPACITY_BLOCK" and not target.get("CapacityReservationId"):
                yield Problem(
                    (*path, "CapacityReservationTarget"),
                    f"queue {queue.name!r} is a Capacity Block, and nothing says which",
                    "write CapacityReservationTarget: {CapacityReservationId: cr-…}",
                )


RULE = DocumentRule(
    severity="error",
    title="Capacity that contradicts itself",
    rationale=(
        "Spot instances never run in a reservation, so nodes would come from anywhere or not at all. A Capacity Block "
        "is a reservation that has to be named; ParallelCluster refuses the queue without it."
    ),
    remedy="write ONDEMAND for an On-Demand Capacity Reservation, CAPACITY_BLOCK for a Capacity Block",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/launch-instances-capacity-blocks.html",
    bad="""\
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: gpu
      CapacityType: SPOT
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources:
        - Name: p5
          InstanceType: p5.48xlarge
          Efa: {Enabled: true}
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
""",
    good="""\
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: gpu
      CapacityType: ONDEMAND
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources:
        - Name: p5
          InstanceType: p5.48xlarge
          Efa: {Enabled: true}
          CapacityReservationTarget: {CapacityReservationId: cr-0123456789abcdef0}
""",
    check=check,
)
