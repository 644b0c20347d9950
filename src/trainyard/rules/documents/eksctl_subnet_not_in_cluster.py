"""A node group's subnet that the cluster does not name, in an eksctl ClusterConfig."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_at, mapping_in
from trainyard.rules.eksctl.config import node_groups

# What people call subnets. Ids are looked up in AWS, and capital letters are mostly a placeholder to be filled in.
_NAME = re.compile(r"(?!subnet-)[a-z0-9-]+")


def check(document: Document) -> Iterator[Problem]:
    """Yield names that are in no list of the cluster's subnets, and private nodes where no private subnet is named."""
    subnets = mapping_at(document, "vpc", "subnets")
    private, public = mapping_in(subnets, "private"), mapping_in(subnets, "public")
    if not private and not public:
        return
    for group in node_groups(document):
        is_private = group.written.get("privateNetworking") is True
        if is_private and not private:
            message = f"node group {group.name!r} is private, and the cluster has no private subnets"
            yield Problem((*group.path, "privateNetworking"), message, "add them to vpc.subnets.private")
            continue
        names = private if is_private else {**private, **public}
        for index, name in enumerate(group.subnets):
            if _NAME.fullmatch(name) and name not in names:
                close = get_close_matches(name, names, n=1)
                meant = f"; did you mean {close[0]!r}?" if close else ""
                message = f"{name!r} is none of the cluster's {'private ' if is_private else ''}subnets{meant}"
                yield Problem((*group.path, "subnets", index), message, f"write one of {', '.join(names)}, or an id")


RULE = DocumentRule(
    severity="error",
    title="Subnet that the cluster does not name",
    rationale=(
        "A node group names subnets by what they are called below vpc.subnets, private ones with privateNetworking. "
        "eksctl refuses another name."
    ),
    remedy="write the name of one of the cluster's subnets, or its id",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/vpc-subnet-settings.html",
    bad="""\
vpc:
  id: vpc-0123456789abcdef0
  clusterEndpoints: {privateAccess: true}
  publicAccessCIDRs: [203.0.113.7/32]
  subnets: {private: {private-one: {id: subnet-1}, private-two: {id: subnet-2}}}
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, privateNetworking: true, subnets: [private-1]}
""",
    good="""\
vpc:
  id: vpc-0123456789abcdef0
  clusterEndpoints: {privateAccess: true}
  publicAccessCIDRs: [203.0.113.7/32]
  subnets: {private: {private-one: {id: subnet-1}, private-two: {id: subnet-2}}}
managedNodeGroups:
  - {name: gpu, instanceType: g5.8xlarge, privateNetworking: true, subnets: [private-one]}
""",
    check=check,
)
