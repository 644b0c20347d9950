"""A scheduler that ParallelCluster no longer has."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.document.problems import short
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at
from trainyard.rules.parallelcluster.config import newest_line
from trainyard.rules.parallelcluster.placeholders import placeholder_in


def check(document: Document) -> Iterator[Problem]:
    """Yield every scheduler but slurm."""
    scheduler = mapping_at(document, "Scheduling").get("Scheduler")
    if isinstance(scheduler, str) and scheduler != "slurm" and placeholder_in(scheduler) is None:
        message = f"ParallelCluster {newest_line()} has no scheduler {short(scheduler)}"
        remedy = "use AWS Batch by itself (`trainyard new batch-p5`), or Slurm" if scheduler == "awsbatch" else None
        yield Problem(("Scheduling", "Scheduler"), message, remedy)


RULE = DocumentRule(
    severity="error",
    title="Scheduler that was removed",
    rationale="Slurm is the only scheduler since ParallelCluster 3.16: awsbatch went with it, sge and torque with 3.0.",
    remedy="write slurm",
    source="https://pypi.org/project/aws-parallelcluster/3.16.1/",
    bad="""\
Scheduling: {Scheduler: awsbatch}
""",
    good="""\
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: cpu
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources: [{Name: cpu, InstanceType: m5.large}]
""",
    check=check,
)
