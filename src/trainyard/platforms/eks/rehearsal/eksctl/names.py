"""What eksctl calls stacks, tags and labels.

https://github.com/eksctl-io/eksctl/blob/main/pkg/apis/eksctl.io/v1alpha5/types.go
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping

CLUSTER_TAG = "alpha.eksctl.io/cluster-name"
GROUP_TAG = "alpha.eksctl.io/nodegroup-name"
_CLUSTER_TAGS = (CLUSTER_TAG, "eksctl.cluster.k8s.io/v1alpha1/cluster-name")
VERSION = "0.229.0"
"""The version that it claims to be: newer than the oldest that trainyard takes."""


def cluster_stack(cluster: str) -> str:
    """Return the stack of the control plane."""
    return f"eksctl-{cluster}-cluster"


def group_stack(cluster: str, group: str) -> str:
    """Return the stack of a node group."""
    return f"eksctl-{cluster}-nodegroup-{group}"


def role_stack(cluster: str, namespace: str, account: str) -> str:
    """Return the stack with the role of a service account."""
    return f"eksctl-{cluster}-podidentityrole-{namespace}-{account}"


def addon_role_stack(cluster: str, addon: str, account: str) -> str:
    """Return the stack with the role of an add-on's service account."""
    return f"eksctl-{cluster}-addon-{addon}-podidentityrole-{account}"


def access_stack(cluster: str, principal: str) -> str:
    """Return the stack of somebody's access entry."""
    digest = hashlib.sha1(principal.encode(), usedforsecurity=False).digest()
    return f"eksctl-{cluster}-accessentry-{base64.b32encode(digest).decode().rstrip('=')}"


def stack_tags(cluster: str, own: Mapping[str, str]) -> dict[str, str]:
    """Return the tags of all stacks of a cluster."""
    return {**dict.fromkeys(_CLUSTER_TAGS, cluster), "alpha.eksctl.io/eksctl-version": VERSION, **own}


def group_tags(group: str) -> dict[str, str]:
    """Return the tags of a node group, its stack and its instances."""
    return {GROUP_TAG: group, "alpha.eksctl.io/nodegroup-type": "managed"}
