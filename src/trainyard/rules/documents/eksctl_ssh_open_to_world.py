"""SSH of nodes that the whole internet may try, in an eksctl ClusterConfig."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.documents import DocumentRule
from trainyard.rules.eksctl.config import mapping_in, node_groups

_KEYS = ("publicKeyName", "publicKeyPath", "publicKey")


def check(document: Document) -> Iterator[Problem]:
    """Yield node groups in public subnets that allow SSH, which a key does by itself, and name no source of it."""
    for group in node_groups(document):
        ssh = mapping_in(group.written, "ssh")
        allowed = ssh.get("allow") is True or (ssh.get("allow") is None and any(ssh.get(key) for key in _KEYS))
        private = group.written.get("privateNetworking") is True
        if allowed and not private and not ssh.get("sourceSecurityGroupIds"):
            message = f"eksctl opens port 22 of node group {group.name!r} to 0.0.0.0/0 and ::/0"
            yield Problem((*group.path, "ssh"), message)


RULE = DocumentRule(
    kind="eksctl",
    severity="warning",
    title="SSH open to the world",
    rationale=(
        "Where SSH is allowed, or a key is named, eksctl opens port 22 of nodes without private networking to every "
        "address. Open SSH ports are probed within minutes."
    ),
    remedy="write privateNetworking: true, or enableSsm: true in place of a key, or name sourceSecurityGroupIds",
    source="https://github.com/eksctl-io/eksctl/blob/main/pkg/cfn/builder/nodegroup.go",
    bad="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, ssh: {allow: true}}
""",
    good="""\
managedNodeGroups:
  - {name: system, instanceType: c5.2xlarge, privateNetworking: true, ssh: {enableSsm: true}}
""",
    check=check,
)
