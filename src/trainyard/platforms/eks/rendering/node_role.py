"""What the role of nodes may do: as little as EKS needs, and what the user adds."""

from __future__ import annotations

from typing import Any

from trainyard.catalog.partition import partition_of
from trainyard.spec.cluster import Spec

# What eksctl attaches by itself as long as no policies are named; with any, it attaches those alone.
# https://docs.aws.amazon.com/eks/latest/eksctl/iam-policies.html
_OWN = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonSSMManagedInstanceCore")


def node_role(spec: Spec) -> dict[str, Any]:
    """Return the section iam of a node group, nothing where eksctl's defaults are right."""
    own = [f"arn:{partition_of(spec.region)}:iam::aws:policy/{name}" for name in _OWN]
    boundary = spec.iam.permissions_boundary
    role = {
        **({"attachPolicyARNs": [*own, *spec.iam.policies]} if spec.iam.policies else {}),
        **({"withAddonPolicies": dict.fromkeys(spec.eks.node_policies, True)} if spec.eks.node_policies else {}),
        **({} if boundary is None else {"instanceRolePermissionsBoundary": boundary}),
    }
    return {"iam": role} if role else {}


def pods_need_node_role(spec: Spec) -> bool:
    """Return whether pods are to use the role of their node, which they get from its metadata service."""
    return bool(spec.eks.node_policies or spec.iam.policies)
