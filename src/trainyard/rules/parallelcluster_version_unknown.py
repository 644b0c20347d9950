"""A version of ParallelCluster that trainyard knows nothing about."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.parallelcluster import known_versions, supported_oses
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the version where there are no facts about its line."""
    version = spec.parallelcluster.version
    if supported_oses(version) is None:
        yield Problem(
            ("parallelcluster", "version"),
            f"nothing is known about ParallelCluster {version}, so rules that depend on it were not applied",
            f"known: {', '.join(known_versions())}",
        )


RULE = Rule(
    severity="warning",
    applies_to="made_by_parallelcluster",
    title="Unknown ParallelCluster version",
    rationale=(
        "Which systems and settings exist depends on the version. A version without facts passes rules unchecked."
    ),
    remedy="use a version that trainyard knows, or check the configuration with that version's own pcluster",
    source="https://github.com/aws/aws-parallelcluster/releases",
    bad="""\
parallelcluster: {version: 9.9.9}
""",
    good="""\
parallelcluster: {version: 3.16.1}
""",
    check=check,
)
