"""Nodes in a public subnet of a network that is to have no internet."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes in public subnets beside internet: none. Login pools stand there unless the spec says otherwise."""
    if spec.network.internet != "none":
        return
    for path, who, subnet in _choices(spec):
        if subnet == "public":
            problem = f"{who} has a route to the internet in its public subnet, although network.internet is none"
            yield Problem((*path, "subnet"), problem)


def _choices(spec: Spec) -> Iterator[tuple[Path, str, str]]:
    yield ("head_node",), "head_node", spec.head_node.subnet
    for path, pool in spec.login_pools():
        yield path, f"login pool {pool.name}", pool.subnet
    for index, queue in enumerate(spec.queues):
        yield ("queues", index), f"queue {queue.name}", queue.subnet


RULE = Rule(
    severity="warning",
    title="Public subnet although there is to be no internet",
    rationale=(
        "internet: none takes the NAT gateway from private subnets. A public subnet has an internet gateway still, "
        "so whoever wanted a closed network does not have one."
    ),
    remedy="write subnet: private, and come in through Session Manager or your own connection to the VPC",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html#subnet-types",
    bad="""\
network: {internet: none}
head_node: {subnet: public}
""",
    good="""\
network: {internet: none}
head_node: {subnet: private}
""",
    check=check,
)
