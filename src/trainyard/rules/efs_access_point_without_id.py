"""An access point of a file system that is yet to be made."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield access points beside which no file system is named."""
    for index, file_system in enumerate(spec.file_systems):
        efs = file_system.efs
        if efs is not None and efs.access_point is not None and efs.id is None:
            problem = f"{efs.access_point} belongs to a file system that exists, and {file_system.mount} names none"
            yield Problem(("file_systems", index, "efs", "access_point"), problem)


RULE = Rule(
    severity="error",
    title="Access point without its file system",
    rationale=(
        "An access point is a door into one file system. Without the id of that file system a new, empty one would "
        "be made, to which the door does not lead; ParallelCluster refuses the combination."
    ),
    remedy="name the file system in id, or remove access_point",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-EfsSettings-AccessPointId",
    bad="""\
file_systems:
  - {mount: /home, efs: {access_point: fsap-0123456789abcdef0}}
""",
    good="""\
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}
file_systems:
  - {mount: /home, efs: {id: fs-0123456789abcdef0}}
""",
    check=check,
)
