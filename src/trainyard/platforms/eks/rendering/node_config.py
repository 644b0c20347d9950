"""What nodes are told when they start: a NodeConfig, which nodeadm merges with what EKS tells them itself.

https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/api/
"""

from __future__ import annotations

from typing import Any

from trainyard.catalog.instances import find
from trainyard.document.write import yaml_text
from trainyard.spec.node_group import NodeGroup

# One volume of all NVMe drives, to which images, containers and emptyDir volumes move from the root volume.
_STRIPED: dict[str, Any] = {
    "apiVersion": "node.eks.aws/v1alpha1",
    "kind": "NodeConfig",
    "spec": {"instance": {"localStorage": {"strategy": "RAID0"}}},
}


def has_drives(group: NodeGroup) -> bool:
    """Return whether nodes are known to have NVMe drives of their own."""
    facts = find(group.instance_type)
    return bool(facts is not None and (facts.nvme or facts.nvme_total_gb))


def node_config(group: NodeGroup) -> str | None:
    """Return the text of the NodeConfig, None where nodes need none."""
    return yaml_text(_STRIPED) if has_drives(group) else None
