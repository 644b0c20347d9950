"""Policies of nodes that leave out those which nodes need, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.documents import mapping_in
from trainyard.rules.eksctl.config import node_groups, texts_in

# Each needs one of these; the CNI's may belong to its service account instead.
# https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
_NEEDED = (
    ("AmazonEKSWorkerNodePolicy", "AmazonEKSWorkerNodeMinimalPolicy"),
    ("AmazonEC2ContainerRegistryReadOnly", "AmazonEC2ContainerRegistryPullOnly", "AmazonEC2ContainerRegistryPowerUser"),
)


def check(document: Document) -> Iterator[Problem]:
    """Yield lists of policies without those of nodes, for which they stand."""
    for group in node_groups(document):
        policies = {arn.rpartition("/")[2] for arn in texts_in(mapping_in(group.written, "iam"), "attachPolicyARNs")}
        missing = [choice[0] for choice in _NEEDED if policies and not policies.intersection(choice)]
        if missing:
            message = (
                f"node group {group.name!r} attaches {', '.join(sorted(policies))} and not {' and '.join(missing)}"
            )
            yield Problem((*group.path, "iam", "attachPolicyARNs"), message, f"add {' and '.join(missing)}")


RULE = DocumentRule(
    severity="warning",
    title="Policies in place of those that nodes need",
    rationale=(
        "attachPolicyARNs takes the place of the policies that eksctl attaches by itself. Without them a node does not "
        "join the cluster, or pulls no image from ECR, where EKS keeps those of its own add-ons."
    ),
    remedy="name the policies of nodes too, or use withAddonPolicies and attachPolicy, which are added",
    source="https://docs.aws.amazon.com/eks/latest/eksctl/iam-policies.html",
    bad="""\
managedNodeGroups:
  - name: gpu
    instanceType: g5.8xlarge
    iam:
      attachPolicyARNs: [arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy]
""",
    good="""\
managedNodeGroups:
  - name: gpu
    instanceType: g5.8xlarge
    iam:
      attachPolicyARNs:
        - arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy
        - arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy
        - arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly
        - arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy
""",
    check=check,
)
