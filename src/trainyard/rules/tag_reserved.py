"""A tag whose beginning belongs to somebody else."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html; trainyard: finds what trainyard made.
_RESERVED = ("aws:", "parallelcluster:", "trainyard:")
# What eksctl finds its stacks and node groups by, and EKS its instances.
# https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/types.go
_RESERVED_ON_EKS = ("alpha.eksctl.io/", "eksctl.cluster.k8s.io/", "eksctl.io/", "eks:", "kubernetes.io/cluster/")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield tags that AWS, ParallelCluster, eksctl or trainyard set themselves."""
    reserved = (*_RESERVED, *(_RESERVED_ON_EKS if platform_of(spec).made_by_eksctl else ()))
    for key in spec.tags:
        if owner := next((beginning for beginning in reserved if key.lower().startswith(beginning)), None):
            yield Problem(("tags", key), f"tag {key!r} begins with {owner}, which is reserved")


RULE = Rule(
    severity="error",
    title="Reserved tag",
    rationale=(
        "AWS refuses tags that begin with aws:, ParallelCluster those that begin with parallelcluster:, and "
        "trainyard finds what it made by its own. On Amazon EKS, eksctl and EKS find stacks, node groups and "
        "instances by tags of theirs."
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
