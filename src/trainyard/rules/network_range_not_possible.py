"""Ranges of a network that cannot be made, or that nothing is made of."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.errors import TrainyardError
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

_KEYS = ("cidr", "private_prefix", "other_prefix")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield ranges of a network that exists, prefixes without a range, and ranges without place for the subnets."""
    written = [key for key in _KEYS if getattr(spec.network, key) is not None]
    if not written:
        return
    if spec.network.existing is not None or spec.environment is not None:
        for key in written:
            yield Problem(("network", key), f"{key} beside a network that exists, which has its ranges", "remove it")
    elif spec.network.cidr is None:
        for key in written:
            yield Problem(("network", key), f"{key} without cidr, of which it would be a part", "write cidr too")
    else:
        yield from _not_divisible(spec)


def _not_divisible(spec: Spec) -> Iterator[Problem]:
    from trainyard.launch.network_ranges import network_ranges  # noqa: PLC0415  every check imports this rule

    try:
        network_ranges(spec.network)
    except TrainyardError as error:
        key = (error.where or "network.cidr").rpartition(".")[2]
        place = key if key in spec.network.written else "cidr"
        yield Problem(("network", place), error.problem, error.hint)


RULE = Rule(
    severity="error",
    title="Network range that cannot be made",
    rationale=(
        "A VPC is a range of at most 65,536 addresses. Half of it becomes the private subnet of the first zone, and "
        "the other subnets come out of the other half: public, of a second zone, of a control plane, and of six "
        "further zones. The ranges of a network that exists are what they are."
    ),
    remedy="write a range from /16 to /23 that begins at its first address",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/vpc-cidr-blocks.html",
    bad="network: {cidr: 10.20.0.0/12}",
    good="network: {cidr: 10.20.0.0/16}",
    check=check,
)
