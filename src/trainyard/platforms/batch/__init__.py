"""AWS Batch."""

from __future__ import annotations

from trainyard.platform_parts import Platform

BATCH = Platform(
    name="batch",
    title="AWS Batch",
    scheduler="batch",
    made_by="cloudformation",
    has_head_node=False,
    nodes_run_release=False,
)
