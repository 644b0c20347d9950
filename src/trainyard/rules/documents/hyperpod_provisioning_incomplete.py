"""Provisioning parameters of SageMaker HyperPod that lack what its lifecycle scripts read."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.hyperpod import provisioning, worker_groups

_WORKER_KEYS = ("instance_group_name", "partition_name")
_FILE_SYSTEM = ("fsx_dns_name", "fsx_mountname")


def check(document: Document) -> Iterator[Problem]:
    """Yield a missing controller, groups of workers without a name or partition, and half a file system."""
    parameters = provisioning(document)
    if parameters.get("workload_manager", "slurm") != "slurm" or not parameters:
        return
    if not parameters.get("controller_group"):
        key = "controller_group" if "controller_group" in parameters else "worker_groups"
        yield Problem((key,), "no controller_group beside worker_groups: no node becomes the controller of Slurm")
    for path, group in worker_groups(document):
        for key in _WORKER_KEYS:
            if not group.get(key):
                name = group.get("instance_group_name") or f"number {path[1] + 1}"
                yield Problem(path, f"worker group {name} has no {key}", f"write {key}")
    given, missing = sorted(_FILE_SYSTEM, key=lambda key: not parameters.get(key))
    if parameters.get(given) and not parameters.get(missing):
        yield Problem((given,), f"{given} without {missing}: no file system is mounted", f"write {missing}", "warning")


RULE = DocumentRule(
    severity="error",
    title="Provisioning parameters that are incomplete",
    rationale=(
        "The lifecycle scripts of HyperPod read from this file which group does what and what to mount, on every node, "
        "and fail or do nothing where it says nothing. A cluster whose scripts fail is taken down again after some 20 "
        "minutes."
    ),
    remedy="name an instance group of the cluster as controller_group",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-lifecycle-best-practices-slurm-slurm-base-config.html",
    bad="""\
{"version": "1.0.0", "workload_manager": "slurm",
 "worker_groups": [{"instance_group_name": "workers", "partition_name": "p5"}]}
""",
    good="""\
{"version": "1.0.0", "workload_manager": "slurm", "controller_group": "controller",
 "worker_groups": [{"instance_group_name": "workers", "partition_name": "p5"}]}
""",
    check=check,
)
