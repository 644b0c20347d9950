"""Instance groups of SageMaker HyperPod with the same name, or with two parts in a Slurm cluster."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.hyperpod import instance_groups, provisioning, worker_groups

_SINGLE = ("controller_group", "login_group")


def check(document: Document) -> Iterator[Problem]:
    """Yield names of a cluster, and of its provisioning parameters, that are there twice."""
    names = [
        ((*group.path, "InstanceGroupName"), (group.cluster, group.written.get("InstanceGroupName")))
        for group in instance_groups(document)
    ]
    parameters = provisioning(document)
    names += [((key,), ("the cluster", parameters.get(key))) for key in _SINGLE]
    names += [
        ((*path, "instance_group_name"), ("the cluster", group.get("instance_group_name")))
        for path, group in worker_groups(document)
    ]
    seen: set[tuple[str, str]] = set()
    for path, (cluster, name) in names:
        if isinstance(name, str) and name:
            if (cluster, name) in seen:
                yield Problem(path, f"{cluster} has instance group {name} twice")
            seen.add((cluster, name))


RULE = DocumentRule(
    severity="error",
    title="Instance group twice",
    rationale=(
        "SageMaker refuses two instance groups of one name. Where provisioning parameters give a group two parts, its "
        "nodes are set up as the first one only: workers that are controllers, too, never join the partition."
    ),
    remedy="give each instance group a name and a part of its own",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-lifecycle-best-practices-slurm-slurm-base-config.html",
    bad="""\
{"version": "1.0.0", "workload_manager": "slurm", "controller_group": "nodes",
 "worker_groups": [{"instance_group_name": "nodes", "partition_name": "p5"}]}
""",
    good="""\
{"version": "1.0.0", "workload_manager": "slurm", "controller_group": "controller",
 "worker_groups": [{"instance_group_name": "nodes", "partition_name": "p5"}]}
""",
    check=check,
)
