"""Nodes that are to stand in a public subnet of an existing network that names none."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield every choice of a public subnet that the existing network cannot meet."""
    existing = spec.network.existing
    if existing is None or existing.public_subnets:
        return
    for path, subnet in _choices(spec):
        if subnet == "public":
            yield Problem(path, f"{existing.vpc} is given without public subnets, and {path[0]} asks for a public one")


def _choices(spec: Spec) -> Iterator[tuple[Path, str]]:
    yield ("head_node", "subnet"), spec.head_node.subnet
    yield from (((*path, "subnet"), pool.subnet) for path, pool in spec.login_pools())
    for index, queue in enumerate(spec.queues):
        yield ("queues", index, "subnet"), queue.subnet


RULE = Rule(
    severity="error",
    title="Public subnet that is not there",
    rationale=(
        "The network is one that exists, so trainyard makes no subnets in it, and none of those that are named is "
        "public. Login nodes stand in a public subnet unless the spec says otherwise."
    ),
    remedy="add the subnet to network.existing.public_subnets, or write subnet: private",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html#subnet-types",
    bad="""\
network:
  existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}
login_nodes: {count: 1}
""",
    good="""\
network:
  existing:
    vpc: vpc-0123456789abcdef0
    private_subnets: [subnet-0123456789abcdef0]
    public_subnets: [subnet-0123456789abcdef1]
login_nodes: {count: 1}
""",
    check=check,
)
