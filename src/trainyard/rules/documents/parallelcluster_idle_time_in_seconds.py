"""An idle time in ParallelCluster that looks like seconds: it counts minutes."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at

# Five hours: nobody has been seen to want that, and 300 or 600 seconds are what people mean.
_LEAST_MINUTES = 300


def check(document: Document) -> Iterator[Problem]:
    """Yield a ScaledownIdletime of hours."""
    path = ("Scheduling", "SlurmSettings")
    minutes = mapping_at(document, *path).get("ScaledownIdletime")
    if isinstance(minutes, int) and minutes >= _LEAST_MINUTES:
        message = f"ScaledownIdletime {minutes} is {minutes / 60:.0f} hours: it counts minutes"
        meant = f"write {minutes // 60} for {minutes} seconds" if minutes % 60 == 0 else None
        yield Problem((*path, "ScaledownIdletime"), message, meant)


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Idle time in minutes, written as seconds",
    rationale=(
        "ScaledownIdletime counts minutes, 10 by default. With 600, every node that a job leaves stays, and is paid "
        "for, ten more hours."
    ),
    remedy="write minutes",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmSettings-ScaledownIdletime",
    bad="""\
Scheduling:
  Scheduler: slurm
  SlurmSettings: {ScaledownIdletime: 600}
  SlurmQueues:
    - Name: cpu
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources: [{Name: cpu, InstanceType: m5.large}]
""",
    good="""\
Scheduling:
  Scheduler: slurm
  SlurmSettings: {ScaledownIdletime: 10}
  SlurmQueues:
    - Name: cpu
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources: [{Name: cpu, InstanceType: m5.large}]
""",
    check=check,
)
