"""A key that ParallelCluster needs and that was not written."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import path_text
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at
from trainyard.rules.parallelcluster.config import config_keys, queues


def check(document: Document) -> Iterator[Problem]:
    """Yield required keys that are missing, and nodes whose instance type nothing says."""
    for key in config_keys(document):
        whole = {"HeadNode", "Scheduling"} <= mapping_at(document).keys()
        if key.is_missing and (whole or len(key.path) > 1):
            where = path_text(key.path[:-1]) or "the configuration"
            yield Problem(key.path, f"{where} needs {key.name}")
    for queue in queues(document):
        for path, resource in queue.compute_resources:
            if not {"InstanceType", "Instances", "CapacityReservationTarget"} & resource.keys():
                of_queue = "; the reservation of the queue does not give it" * (
                    "CapacityReservationTarget" in queue.written
                )
                message = (
                    f"no InstanceType or Instances say what {resource.get('Name', path_text(path))} runs on{of_queue}"
                )
                yield Problem((*path, "InstanceType"), message, "write InstanceType, or name the reservation here")


RULE = DocumentRule(
    severity="error",
    title="Key that ParallelCluster needs",
    rationale=(
        "ParallelCluster refuses a configuration without this key. The type of nodes is taken from a reservation only "
        "where the compute resource itself names it."
    ),
    remedy="write the key",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cluster-configuration-file-v3.html",
    bad="""\
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: gpu
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources: [{Name: p5, MinCount: 2, MaxCount: 2, Efa: {Enabled: true}}]
""",
    good="""\
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: gpu
      Networking: {SubnetIds: [subnet-0123456789abcdef0]}
      ComputeResources: [{Name: p5, InstanceType: p5.48xlarge, MinCount: 2, MaxCount: 2, Efa: {Enabled: true}}]
""",
    check=check,
)
