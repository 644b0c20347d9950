"""Numbers of nodes that contradict each other, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import node_groups

# In the order in which they may grow.
_SIZES = ("minSize", "desiredCapacity", "maxSize")


def check(document: Document) -> Iterator[Problem]:
    """Yield the first two sizes of a node group of which the smaller is the greater."""
    for group in node_groups(document):
        sizes = [(key, group.written[key]) for key in _SIZES if isinstance(group.written.get(key), int)]
        wrong = next((pair for pair in combinations(sizes, 2) if pair[0][1] > pair[1][1]), None)
        if wrong is not None:
            (low, least), (high, most) = wrong
            message = f"node group {group.name!r} has {low} {least} above {high} {most}"
            yield Problem((*group.path, high), message)


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="Sizes that contradict each other",
    rationale="eksctl refuses a node group whose minimum is above what is desired, or that above the maximum.",
    remedy="write minSize, desiredCapacity and maxSize in growing order",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, minSize: 3, desiredCapacity: 2}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, minSize: 2, desiredCapacity: 2}
""",
    check=check,
)
