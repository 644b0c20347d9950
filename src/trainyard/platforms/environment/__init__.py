"""An environment: network, file systems and monitoring that several clusters share. It has no nodes for jobs."""

from __future__ import annotations

from trainyard.platform_parts import Platform

ENVIRONMENT = Platform(
    name="environment",
    title="an environment",
    scheduler=None,
    made_by="cloudformation",
    has_head_node=False,
    nodes_run_release=False,
)
