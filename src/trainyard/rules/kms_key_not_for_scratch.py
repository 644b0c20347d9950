"""A key of one's own that a scratch file system does not use."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield scratch file systems to be made beside a KMS key."""
    if spec.iam.kms_key is None:
        return
    for path, mount, lustre in spec.new_lustre():
        if lustre.deployment.startswith("SCRATCH"):
            problem = f"{lustre.deployment} at {mount} is encrypted, but not with iam.kms_key"
            yield Problem((*path, "deployment"), problem)


RULE = Rule(
    severity="warning",
    title="KMS key that a scratch file system does not use",
    rationale=(
        "FSx encrypts scratch file systems with a key of its own and takes no other. Where an organisation demands "
        "its own key for all data, such a file system breaks the demand."
    ),
    remedy="choose PERSISTENT_2, or accept that this file system has a key of FSx",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/encryption-at-rest.html",
    bad="""\
iam: {kms_key: "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, deployment: SCRATCH_2}}
""",
    good="""\
iam: {kms_key: "arn:aws:kms:us-east-2:123456789012:key/12345678-1234-1234-1234-123456789012"}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    check=check,
)
