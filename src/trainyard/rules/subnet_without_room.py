"""Subnets of a network that is made, with fewer addresses than the nodes take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trainyard.errors import TrainyardError
from trainyard.finding import Severity
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

if TYPE_CHECKING:
    from trainyard.launch.launch import Launch

# https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html
_KEPT_BY_AWS = 5


def check(spec: Spec) -> Iterator[Problem]:
    """Yield subnets in which not all nodes have room: an error where those that always run have none.

    Nodes that may stand in one of several zones are not counted.
    """
    network = spec.network
    if network.cidr is None or network.existing is not None or spec.environment is not None or spec.is_environment:
        return
    from trainyard.launch.launch import launches  # noqa: PLC0415  every check imports this rule
    from trainyard.launch.network_ranges import network_ranges  # noqa: PLC0415  the same

    try:
        ranges = network_ranges(network)
    except TrainyardError:
        return  # network-range-not-possible says so
    spread = {id(queue) for queue in spec.queues if queue.zones}
    standing = [launch for launch in launches(spec) if launch.group is None or id(launch.group.queue) not in spread]
    for kind, subnet, key in (("private", ranges.private, "private_prefix"), ("public", ranges.public, "other_prefix")):
        inside = [launch for launch in standing if launch.subnet == kind]
        room = subnet.num_addresses - _KEPT_BY_AWS
        least = sum(launch.first_nodes * _addresses(launch) for launch in inside)
        most = sum(launch.max_nodes * _addresses(launch) for launch in inside)
        if most > room:
            severity: Severity = "error" if least > room else "warning"
            titles = ", ".join(launch.title for launch in inside)
            message = f"{titles} need {least if least > room else most:,} addresses, and {subnet} has {room:,} for them"
            yield Problem(("network", key if key in network.written else "cidr"), message, severity=severity)


def _addresses(launch: Launch) -> int:
    return max(instance.private_addresses for instance in launch.instances)


RULE = Rule(
    severity="error",
    title="Subnet without room for the nodes",
    rationale=(
        "Every interface of a node takes an address of its subnet, except those that are for EFA alone: a type with 32 "
        "network cards takes 32 without EFA. AWS keeps five addresses of every subnet; file systems, endpoints and, on "
        "Amazon EKS, pods take some too. Nodes beyond the last address fail to launch."
    ),
    remedy="write a wider cidr, or a smaller number for the prefix; both are final once the network is there",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
    bad="""\
network: {cidr: 10.20.0.0/23, private_prefix: 26}
queues: [{name: cpu, instance_type: c5.18xlarge, nodes: {min: 0, max: 100}}]
""",
    good="""\
network: {cidr: 10.20.0.0/20}
queues: [{name: cpu, instance_type: c5.18xlarge, nodes: {min: 0, max: 100}}]
""",
    check=check,
)
