"""An operating system that this version of ParallelCluster does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.catalog.parallelcluster import supported_oses
from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the operating system where the version in the spec is known not to support it."""
    version = spec.parallelcluster.version
    supported = supported_oses(version)
    if spec.platform == "parallelcluster" and supported is not None and spec.image.os not in supported:
        yield Problem(
            ("image", "os"),
            f"ParallelCluster {version} has no {spec.image.os}",
            f"choose one of {', '.join(supported)}",
        )


RULE = Rule(
    severity="error",
    title="Operating system that was removed",
    rationale=(
        "ParallelCluster drops systems that are out of support: ubuntu2004 went with 3.14, alinux2 with 3.16. Old "
        "templates still name them, and there is no official image to boot."
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
