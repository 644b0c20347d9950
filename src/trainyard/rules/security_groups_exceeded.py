"""More security groups than AWS Batch takes for multi-node jobs."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# One of the five is the group that the network stack makes, for EFA and file systems.
_MOST = 4


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the first group beyond what is left beside trainyard's own."""
    existing = spec.network.existing
    if existing is None or len(existing.security_groups) <= _MOST:
        return
    group = existing.security_groups[_MOST]
    problem = f"{group} is number {_MOST + 1} of the security groups, and beside trainyard's own Batch takes {_MOST}"
    yield Problem(("network", "existing", "security_groups", _MOST), problem)


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="More security groups than Batch takes",
    rationale=(
        "A compute environment for multi-node jobs may have five security groups, which every container's network "
        "interface gets too. One of them is the group that admits itself, for EFA."
    ),
    remedy="name four at most, or put rules together",
    source="https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html",
    bad="""\
platform: batch
network:
  existing:
    vpc: vpc-0123456789abcdef0
    private_subnets: [subnet-0123456789abcdef0]
    security_groups:
      - sg-0123456789abcdef1
      - sg-0123456789abcdef2
      - sg-0123456789abcdef3
      - sg-0123456789abcdef4
      - sg-0123456789abcdef5
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    good="""\
platform: batch
network:
  existing:
    vpc: vpc-0123456789abcdef0
    private_subnets: [subnet-0123456789abcdef0]
    security_groups: [sg-0123456789abcdef1]
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    check=check,
)
