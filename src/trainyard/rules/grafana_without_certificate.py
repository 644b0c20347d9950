"""A self-hosted Grafana that people reach by port forwarding alone."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a self-hosted Grafana without a certificate."""
    if spec.monitoring.mode == "self-hosting" and spec.monitoring.certificate is None:
        yield Problem(
            ("monitoring", "mode"),
            "self-hosting without a certificate: people reach Grafana by Session Manager's port forwarding alone",
        )


RULE = Rule(
    severity="info",
    applies_to="can_host_monitoring",
    title="Grafana without a certificate",
    rationale=(
        "Without a certificate a load balancer could only listen for HTTP, and whoever is on the way would read the "
        "password of Grafana and everything that it shows. So none is made: whoever may start sessions on the instance "
        "forwards its port to their own machine, with the command in the stack's output GrafanaAccessInstructions."
    ),
    remedy="to have HTTPS and a load balancer, name a certificate of AWS Certificate Manager in monitoring.certificate",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/create-https-listener.html",
    bad="""\
monitoring: {mode: self-hosting}
""",
    good="""\
network: {availability_zone: us-east-2a, secondary_availability_zone: us-east-2b}
monitoring:
  mode: self-hosting
  certificate: arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d
timeouts: {head_node_s: 3600}
""",
    check=check,
)
