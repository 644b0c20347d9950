"""An instance of self-hosting that cannot boot its image."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.architecture import architecture_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an instance type that is known not to be x86_64."""
    architecture = architecture_of(spec.monitoring.instance_type)
    if spec.monitoring.mode == "self-hosting" and architecture not in (None, "x86_64"):
        actual = f"{spec.monitoring.instance_type} is {architecture}"
        message = f"{actual}, and the image and programs of the instance are x86_64"
        yield Problem(("monitoring", "instance_type"), message)


RULE = Rule(
    severity="error",
    title="Monitoring instance of another architecture than its image",
    rationale=(
        "The instance boots the newest Amazon Linux 2023 for x86_64, and fetches Prometheus, Alertmanager and Grafana "
        "for it. EC2 refuses to launch an instance type that its image does not fit."
    ),
    remedy="choose a type with an x86 processor, such as t3.medium",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-type-specifications.html",
    bad="""\
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
monitoring:
  mode: self-hosting
  certificate: arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d
  instance_type: t4g.medium
timeouts: {head_node_s: 3600}
""",
    good="""\
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
monitoring:
  mode: self-hosting
  certificate: arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d
  instance_type: m5.2xlarge
timeouts: {head_node_s: 3600}
""",
    check=check,
)
