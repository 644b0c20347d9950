"""What AWS Batch has no use for.

Nothing of trainyard runs on its nodes, which come from an image for ECS, stand in private subnets and reach AWS through
NAT; what watches them is outside.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding_kinds import Problem
from trainyard.platform_parts import UnusableKeys
from trainyard.spec.cluster import Spec
from trainyard.spec.parallelcluster_keys import NODE_KEYS, QUEUE_KEYS, SECTIONS


def unusable_values(spec: Spec) -> Iterator[Problem]:
    """Yield file systems that need ParallelCluster, and a network without endpoints for ECS."""
    for index, file_system in enumerate(spec.file_systems):
        if file_system.ebs is not None:
            problem = f"{spec.platform} has no head node to share an EBS volume at {file_system.mount}"
            yield Problem(("file_systems", index, "ebs"), problem, "use lustre or openzfs")
        if file_system.efs is not None and file_system.efs.id is None:
            problem = f"{spec.platform} makes no EFS file system for {file_system.mount}: ParallelCluster does"
            yield Problem(("file_systems", index, "efs"), problem, "write efs: {id: fs-…}, or use lustre")
    if spec.network.internet == "none":
        problem = "internet: none makes no endpoints for ECS and ECR, without which nodes of batch take no jobs"
        yield Problem(("network", "internet"), problem, "remove internet: nodes reach AWS through NAT")


UNUSABLE_KEYS = UnusableKeys(
    paths=(
        *SECTIONS,
        ("network", "secondary_availability_zone"),
        ("network", "http_proxy"),
        ("network", "existing", "public_subnets"),
        ("access", "allow_from"),
        ("image", "os"),
        ("iam", "read_buckets"),
        ("iam", "imds_for_root_only"),
        ("software",),
        ("assets",),
        *(
            ("monitoring", key)
            for key in (
                "certificate", "instance_type", "volume_gib", "volume_id", "logs", "log_rotation", "alarms",
                "slurm_names", "cloudwatch_metrics", "budget_usd_month", "nccl_ras", "nccl_inspector",
            )
        ),
        ("eks",),
    ),
    queue_keys=QUEUE_KEYS,
    node_keys=NODE_KEYS,
    number_keys=("desired",),
    values=unusable_values,
)  # fmt: skip
