"""A version of ParallelCluster that trainyard knows nothing about, or cannot install."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.by_version import line_of
from trainyard.catalog.parallelcluster import known_versions, locked_versions, supported_oses
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield the version where there are no facts about its line, or none is locked with what it needs."""
    version = spec.parallelcluster.version
    if supported_oses(version) is None:
        yield Problem(
            ("parallelcluster", "version"),
            f"nothing is known about ParallelCluster {version}, so rules that depend on it were not applied",
            f"known: {', '.join(known_versions())}",
        )
    elif version not in locked_versions():
        yield Problem(
            ("parallelcluster", "version"),
            f"trainyard brings no ParallelCluster {version}, so deploy and rehearse refuse it; what is known of "
            f"{line_of(version)} was applied",
            f"it brings {', '.join(locked_versions())}; render writes files for any other",
        )


RULE = Rule(
    severity="warning",
    applies_to="made_by_parallelcluster",
    title="Unknown ParallelCluster version",
    rationale=(
        "Which systems and settings exist depends on the version. A version without facts passes rules unchecked. "
        "Deployments and rehearsals call the program itself, which trainyard installs from a lock of its version."
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
