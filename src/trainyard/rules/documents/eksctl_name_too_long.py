"""Names that are too long for a label or a stack, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.catalog.eks_limits import eks_limits
from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at
from trainyard.rules.eksctl.config import node_groups


def check(document: Document) -> Iterator[Problem]:
    """Yield names of the cluster and of node groups that labels of nodes, or stacks named after both, cannot hold."""
    limits = eks_limits()
    cluster = _text(mapping_at(document, "metadata").get("name"))
    groups = [(group, _text(group.written.get("name"))) for group in node_groups(document)]
    names = [(("metadata", "name"), cluster), *(((*group.path, "name"), name) for group, name in groups)]
    for path, name in names:
        if len(name) > limits.label_characters:
            message = f"{name} has {len(name)} characters, and a label of Kubernetes holds {limits.label_characters}"
            yield Problem(path, message)
    for group, name in groups:
        stack = f"eksctl-{cluster}-nodegroup-{name}"
        if len(stack) > limits.stack_name_characters:
            message = f"{stack} has {len(stack)} characters, and a stack's name {limits.stack_name_characters}"
            yield Problem((*group.path, "name"), message)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


RULE = DocumentRule(
    severity="error",
    title="Name that is too long",
    rationale=(
        "eksctl writes the names of the cluster and of the node group into labels of each node, and names a "
        "CloudFormation stack after both. Kubernetes refuses labels with longer values, and the nodes do not join."
    ),
    remedy="choose shorter names",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/",
    bad="""\
managedNodeGroups:
  - {name: nodes-for-training-of-large-language-models-in-the-second-half-of-2026, instanceType: g5.8xlarge}
""",
    good="""\
managedNodeGroups:
  - {name: training, instanceType: g5.8xlarge}
""",
    check=check,
)
