"""A self-hosted Grafana that the whole internet may log in to."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.rules.ssh_open_to_world import is_open_to_world
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield address ranges that open the load balancer of Grafana to the world.

    Without a certificate there is none, and only Session Manager leads to Grafana; IAM Identity Center guards AMG's.
    """
    if spec.monitoring.mode != "self-hosting" or spec.monitoring.certificate is None:
        return
    for index, cidr in enumerate(spec.access.allow_from):
        if is_open_to_world(cidr):
            yield Problem(("access", "allow_from", index), f"{cidr} lets much of the internet see Grafana's log-in")


RULE = Rule(
    severity="warning",
    title="Grafana open to the world",
    rationale=(
        "With self-hosting and a certificate, the ranges in access.allow_from also reach the load balancer in front of "
        "Grafana. Only "
        "a password then stands between the internet and everything that is known about the cluster and its jobs."
    ),
    remedy="name your own addresses, or choose mode: amp+amg, where people log in through IAM Identity Center",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-update-security-groups.html",
    bad="""\
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
access: {allow_from: [0.0.0.0/0]}
monitoring:
  mode: self-hosting
  certificate: arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d
""",
    good="""\
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
access: {allow_from: [203.0.113.7/32]}
monitoring:
  mode: self-hosting
  certificate: arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d
timeouts: {head_node_s: 3600}
""",
    check=check,
)
