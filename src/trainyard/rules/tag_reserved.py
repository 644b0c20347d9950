"""A tag whose beginning belongs to somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.spec.cluster import Spec


# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html; trainyard: finds what trainyard made.
_RESERVED = ("aws:", "parallelcluster:", "trainyard:")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield tags that AWS, ParallelCluster or trainyard set themselves."""
    for key in spec.tags:
        if owner := next((beginning for beginning in _RESERVED if key.lower().startswith(beginning)), None):
            yield Problem(("tags", key), f"tag {key!r} begins with {owner}, which is reserved")


RULE = Rule(
    severity="error",
    title="Reserved tag",
    rationale=(
        "AWS refuses tags that begin with aws:, ParallelCluster those that begin with parallelcluster:, and "
        "trainyard finds what it made by its own."
    ),
    remedy="choose another key",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html",
    bad="""\
tags: {"parallelcluster:team": llm}
""",
    good="""\
tags: {team: llm}
""",
    check=check,
)
