"""A key that the chosen platform has no use for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec

_PARALLELCLUSTER_ONLY = ("head_node", "login_nodes", "scratch", "timeouts", "parallelcluster")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield sections that were written although the platform cannot use them."""
    if spec.platform == "parallelcluster":
        return
    for section in _PARALLELCLUSTER_ONLY:
        if section in spec.written:
            yield Problem((section,), f"{spec.platform} has no use for {section}")
    for index, file_system in enumerate(spec.file_systems):
        if file_system.ebs is not None:
            problem = f"{spec.platform} has no head node to share an EBS volume at {file_system.mount}"
            yield Problem(("file_systems", index, "ebs"), problem, "use lustre or openzfs")


RULE = Rule(
    severity="error",
    title="Key that the platform cannot use",
    rationale="A setting that is silently ignored is worse than none: the cluster is not what the spec says.",
    remedy="remove the key, or choose platform: parallelcluster",
    source="https://docs.aws.amazon.com/batch/latest/userguide/compute_environments.html",
    bad="""\
platform: batch
head_node: {instance_type: m5.8xlarge}
""",
    good="""\
platform: parallelcluster
head_node: {instance_type: m5.8xlarge}
""",
    check=check,
)
