"""Metrics of AWS Batch's nodes whose image measures nothing."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a mode of monitoring that collects from nodes of Batch with the image that AWS gives them."""
    if spec.monitoring.mode == "none":
        return
    bare = [queue.name for queue in spec.queues if (queue.ami or spec.image.ami) is None]
    if bare:
        problem = f"mode {spec.monitoring.mode} collects from exporters, which the image of {', '.join(bare)} has not"
        yield Problem(("monitoring", "mode"), problem)


RULE = Rule(
    severity="error",
    applies_to="has_batch",
    title="Metrics without exporters",
    rationale=(
        "On AWS Batch nothing is installed on nodes when they start. The image that AWS gives them has no exporter, "
        "so a workspace would be made and paid for, and stay empty. Container Insights measures without one."
    ),
    remedy=("name in image.ami an image with node_exporter and, for GPUs, dcgm-exporter, or write mode: none"),
    source="https://docs.aws.amazon.com/batch/latest/userguide/create-batch-ami.html",
    bad="""\
platform: batch
monitoring: {mode: amp-only}
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    good="""\
platform: batch
monitoring: {mode: amp-only}
image: {ami: ami-0123456789abcdef0}
queues: [{name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}]
""",
    check=check,
)
