"""Two node groups of one name, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups, managed or not, that have the name of one before them."""
    first: dict[str, Path] = {}
    for group in node_groups(document):
        if isinstance(group.written.get("name"), str) and first.setdefault(group.name, group.path) != group.path:
            message = f"{first[group.name][0]}[{first[group.name][1]}] is called {group.name!r}, too"
            yield Problem((*group.path, "name"), message)


RULE = DocumentRule(
    kind="eksctl",
    severity="error",
    title="Name that two node groups have",
    rationale=(
        "A node group is a CloudFormation stack named after it, and managed and self-managed ones share the names: "
        "eksctl refuses the file."
    ),
    remedy="give one of them another name",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/validation.go",
    bad="""\
managedNodeGroups:
  - {name: gpu, instanceType: c5.2xlarge}
nodeGroups:
  - {name: gpu, instanceType: g5.8xlarge}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge}
nodeGroups:
  - {name: gpu, instanceType: g5.8xlarge}
""",
    check=check,
)
