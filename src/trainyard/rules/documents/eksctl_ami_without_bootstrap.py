"""A machine image of one's own that does not know how to join, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.eksctl.config import node_groups

# On these eksctl writes what joins the cluster by itself, or takes no command.
_JOIN_BY_THEMSELVES = ("AmazonLinux2023", "Bottlerocket", "Windows")


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups with an image's id that say neither its family nor, where it needs that, how it joins."""
    for group in node_groups(document):
        ami, family = group.written.get("ami"), group.written.get("amiFamily")
        if not isinstance(ami, str) or not ami.startswith("ami-"):
            continue
        if not isinstance(family, str):
            message = f"node group {group.name!r} boots {ami} and names no amiFamily"
            yield Problem((*group.path, "ami"), message, "write amiFamily, such as AmazonLinux2023")
        elif not family.startswith(_JOIN_BY_THEMSELVES) and not group.written.get("overrideBootstrapCommand"):
            message = f"node group {group.name!r} boots {ami} of {family} without an overrideBootstrapCommand"
            yield Problem((*group.path, "ami"), message)


RULE = DocumentRule(
    severity="error",
    title="Machine image that does not join",
    rationale=(
        "eksctl refuses an image of your own without its family, and for families other than AmazonLinux2023 and "
        "Bottlerocket without the command that joins the cluster."
    ),
    remedy="write overrideBootstrapCommand, or build the image from one of AmazonLinux2023",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/custom-ami-support.html",
    bad="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, ami: ami-0123456789abcdef0}
""",
    good="""\
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, ami: ami-0123456789abcdef0, amiFamily: AmazonLinux2023}
""",
    check=check,
)
