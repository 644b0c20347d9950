"""A remote desktop on an operating system for which there is none."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.architecture import architecture_of
from trainyard.catalog.parallelcluster import limits
from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield remote desktops that the version refuses with the operating system of the nodes."""
    version = spec.parallelcluster.version
    for path, instance_type in _nodes_with_desktop(spec):
        if spec.image.os in _refused(version, instance_type):
            yield Problem(path, f"ParallelCluster {version} has no DCV for {spec.image.os} on {instance_type}")


def _nodes_with_desktop(spec: Spec) -> Iterator[tuple[Path, str]]:
    if spec.head_node.dcv is not None:
        yield ("head_node", "dcv"), spec.head_node.instance_type
    for path, pool in spec.login_pools():
        if pool.dcv is not None:
            yield (*path, "dcv"), pool.instance_type


def _refused(version: str, instance_type: str) -> set[str]:
    """Return the systems without DCV on an instance type; where its processor is unknown, those without any."""
    version_limits = limits(version)
    if version_limits is None:
        return set()
    architecture = architecture_of(instance_type)
    if architecture is not None:
        return set(version_limits.dcv_unsupported_oses[architecture])
    return set.intersection(*(set(oses) for oses in version_limits.dcv_unsupported_oses.values()))


RULE = Rule(
    severity="error",
    title="Remote desktop that is not supported",
    rationale=(
        "DCV has to be built for every operating system and processor, and came to some of them late: to "
        "alinux2023 with ParallelCluster 3.14. ParallelCluster refuses it elsewhere."
    ),
    remedy="choose another system in image.os or a later version, or remove dcv",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/dcv-v3.html",
    bad="""\
head_node: {dcv: {port: 8443}}
image: {os: alinux2023}
parallelcluster: {version: 3.13.2}
""",
    good="""\
head_node: {dcv: {port: 8443}}
image: {os: alinux2023}
parallelcluster: {version: 3.16.1}
""",
    check=check,
)
