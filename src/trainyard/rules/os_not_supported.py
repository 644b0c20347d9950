"""An operating system that this version of ParallelCluster does not have, or not for an instance type."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import limits, supported_oses
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the operating system where the version in the spec is known not to have it, or not for some nodes."""
    version, os = spec.parallelcluster.version, spec.image.os
    supported = supported_oses(version)
    if supported is None:
        return
    if os not in supported:
        yield Problem(
            ("image", "os"), f"ParallelCluster {version} has no {os}", f"choose one of {', '.join(supported)}"
        )
        return
    for name in dict.fromkeys(name for group in spec.node_groups() for name in group.instance_types):
        refused = _refused(version, name)
        if os in refused:
            left = ", ".join(other for other in supported if other not in refused)
            yield Problem(("image", "os"), f"ParallelCluster {version} has no {os} for {name}", f"choose one of {left}")


def _refused(version: str, instance_type: str) -> tuple[str, ...]:
    version_limits = limits(version)
    return () if version_limits is None else version_limits.unsupported_oses.get(instance_type.partition(".")[0], ())


RULE = Rule(
    severity="error",
    applies_to="made_by_parallelcluster",
    title="Operating system that is not supported",
    rationale=(
        "ParallelCluster drops systems that are out of support: ubuntu2004 went with 3.14, alinux2 with 3.16. Old "
        "templates still name them, and there is no official image to boot. Some instance types need drivers that not "
        "every system has, and ParallelCluster refuses the others (InstanceTypeOSCompatibleValidator)."
    ),
    remedy="choose a system that this version supports",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/operating-systems-v3.html",
    bad="""\
image: {os: alinux2}
parallelcluster: {version: 3.16.1}
""",
    good="""\
image: {os: alinux2023}
parallelcluster: {version: 3.16.1}
""",
    check=check,
)
