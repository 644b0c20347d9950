"""Specs of clusters whose bandwidth is measured."""

from __future__ import annotations

from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

FORM = """\
name: lab
region: us-east-2
platform: parallelcluster
head_node: {{instance_type: m5.8xlarge}}
network: {{availability_zone: us-east-2a}}
queues:
{queues}
"""


def with_queue(instance_type: str = "p5.48xlarge", nodes: str = "4", more: str = "") -> Spec:
    """Return a cluster with one queue; ``more`` are further lines of the spec."""
    return with_queues(f"  - {{name: gpu, instance_type: {instance_type}, nodes: {nodes}}}", more)


def with_queues(queues: str, more: str = "") -> Spec:
    """Return a cluster with these queues."""
    return parse(FORM.format(queues=queues) + more, "cluster.yaml").spec
