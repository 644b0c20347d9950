"""What Amazon EKS has no use for.

Pods do what steps do elsewhere: nothing of trainyard is installed on nodes, which come from an image for EKS, whose
bootstrap stripes their NVMe drives and mounts them where it wants. eksctl names the roles.
"""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding_kinds import Problem
from trainyard.platform_parts import UnusableKeys
from trainyard.spec.cluster import Spec
from trainyard.spec.parallelcluster_keys import NODE_KEYS, QUEUE_KEYS, SECTIONS


def unusable_values(spec: Spec) -> Iterator[Problem]:
    """Yield file systems that pods cannot mount, and a network without endpoints for EKS."""
    for index, file_system in enumerate(spec.file_systems):
        kinds = (kind for kind in ("ebs", "openzfs", "efs") if getattr(file_system, kind) is not None)
        for kind in kinds:
            problem = f"pods of eks mount FSx for Lustre alone, and {file_system.mount} is {kind}"
            yield Problem(("file_systems", index, kind), problem, "use lustre")
    if spec.network.internet == "none":
        problem = "internet: none makes no endpoints for EKS and ECR, without which nodes of eks join no cluster"
        yield Problem(("network", "internet"), problem, "remove internet: nodes reach AWS through NAT")


UNUSABLE_KEYS = UnusableKeys(
    paths=(
        *SECTIONS,
        ("scratch",),
        ("network", "http_proxy"),
        ("image", "os"),
        ("iam", "resource_prefix"),
        ("iam", "read_buckets"),
        ("iam", "imds_for_root_only"),
        ("software",),
        ("assets",),
        *(
            ("monitoring", key)
            for key in (
                "certificate", "instance_type", "keep_logs", "log_rotation", "dashboard", "alarms", "slurm_names",
                "cloudwatch_metrics", "budget_usd_month", "nccl_ras", "nccl_inspector",
            )
        ),
        ("batch",),
    ),
    queue_keys=QUEUE_KEYS,
    node_keys=NODE_KEYS,
    values=unusable_values,
)  # fmt: skip
