"""A self-hosted Grafana whose load balancer has only one zone."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.network import ExistingNetwork, Network


def check(spec: Spec) -> Iterator[Problem]:
    """Yield a network without two zones for the load balancer that a self-hosted Grafana with a certificate has."""
    if spec.monitoring.mode != "self-hosting" or spec.monitoring.certificate is None:
        return
    if spec.network.existing is None:
        yield from _of_new(spec.network)
    else:
        yield from _of_existing(spec.network.existing)


def _of_new(network: Network) -> Iterator[Problem]:
    second = network.secondary_availability_zone
    if second is None:
        yield Problem(
            ("network", "secondary_availability_zone"),
            f"Grafana's load balancer needs a second zone beside {network.availability_zone or 'the first one'}: "
            "monitoring.certificate asks for one",
        )
    elif second == network.availability_zone:
        yield Problem(("network", "secondary_availability_zone"), f"the second zone is the first one again: {second}")


def _of_existing(existing: ExistingNetwork) -> Iterator[Problem]:
    subnets = sorted(set(existing.public_subnets))
    if len(subnets) < 2:
        named = f"only {subnets[0]} is" if subnets else "none is"
        problem = f"the load balancer of Grafana needs two public subnets of {existing.vpc}, and {named} named"
        path = ("network", "existing", "public_subnets")
        yield Problem(path, problem, "name two public subnets that lie in two zones")


RULE = Rule(
    severity="error",
    applies_to="can_host_monitoring",
    title="Second zone that is missing",
    rationale=(
        "A self-hosted Grafana with a certificate stands behind an Application Load Balancer, and AWS refuses to make "
        "one with subnets in fewer than two zones."
    ),
    remedy="name another zone in network.secondary_availability_zone; it costs nothing by itself",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/application/application-load-balancers.html",
    bad="""\
network: {availability_zone: us-east-2a}
monitoring:
  mode: self-hosting
  certificate: arn:aws:acm:us-east-2:123456789012:certificate/1a2b3c4d-5e6f-7a8b-9c0d-1e2f3a4b5c6d
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
