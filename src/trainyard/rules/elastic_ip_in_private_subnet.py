"""An Elastic IP address that nobody can reach."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield an Elastic IP address of a head node in a private subnet. A subnet named by id may be public."""
    node = spec.head_node
    existing = spec.network.existing
    private = {"private", *(existing.private_subnets if existing is not None else ())}
    if node.elastic_ip and node.subnet in private:
        address = "a new address" if node.elastic_ip is True else node.elastic_ip
        problem = f"the head node stands in subnet {node.subnet}, where {address} leads nowhere"
        yield Problem(("head_node", "elastic_ip"), problem)


RULE = Rule(
    severity="error",
    title="Elastic IP address in a private subnet",
    rationale=(
        "A private subnet has no route to an internet gateway, so answers never go back the way that a request to "
        "the address came. ParallelCluster attaches the address all the same, and it is paid for."
    ),
    remedy="write subnet: public, or remove elastic_ip",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html#subnet-types",
    bad="""\
head_node: {subnet: private, elastic_ip: true}
""",
    good="""\
head_node: {subnet: public, elastic_ip: true}
""",
    check=check,
)
