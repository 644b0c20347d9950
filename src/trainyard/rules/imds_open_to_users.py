"""Credentials of nodes that every user may ask for."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Fix
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a head node, and other nodes, whose metadata service answers all users."""
    if not spec.head_node.imds_for_root_only:
        problem = "every user of the head_node may act in its role: start instances, end them, change the cluster"
        path = ("head_node", "imds_for_root_only")
        yield Problem(path, problem, fix=Fix(path, value=True))
    if not spec.iam.imds_for_root_only:
        problem = "every job may act in the role of its node: read what nodes read, and report in its place"
        path = ("iam", "imds_for_root_only")
        yield Problem(
            path, problem, "remove the key, and give jobs credentials of their own", fix=Fix(path, value=True)
        )


RULE = Rule(
    severity="warning",
    title="Credentials of nodes open to users",
    rationale=(
        "The head node's role may start and end instances and write the cluster's state. Whoever may read its "
        "credentials may do that too, from anywhere."
    ),
    remedy="remove the key, and give users roles of their own for what they need in AWS",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html",
    bad="""\
head_node: {imds_for_root_only: false}
""",
    good="""\
head_node: {imds_for_root_only: true}
""",
    check=check,
)
