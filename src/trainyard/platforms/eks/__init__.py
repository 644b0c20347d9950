"""Amazon EKS."""

from __future__ import annotations

from trainyard.platform_parts import Platform

EKS = Platform(
    name="eks",
    title="Amazon EKS",
    scheduler="kubernetes",
    made_by="eksctl",
    has_head_node=False,
    nodes_run_release=False,
)
