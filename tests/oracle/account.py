"""An AWS account made up to fit a config: whatever the config mentions exists there, and is as the config needs it.

It answers the calls that pcluster's validators make. A call that nobody foresaw is an error that names it, never an
empty answer: a validator that is told nothing finds nothing. Python 3.9 syntax.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.oracle.answers import capacity, ec2, identity, images, storage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.oracle.mentions import Mentions

_ANSWERS = {
    **capacity.ANSWERS,
    **ec2.ANSWERS,
    **identity.ANSWERS,
    **images.ANSWERS,
    **storage.ANSWERS,
}


class UnansweredError(Exception):
    """pcluster asked AWS something that the account has no answer for."""


@dataclass(frozen=True)
class Facts:
    """What the account is made from, besides the config.

    ``zones`` has the letter of a subnet's availability zone; a subnet that it lacks is in zone a.
    ``instance_types`` is the answer of DescribeInstanceTypes for each type that exists.
    ``managed_policies`` are the ARNs, from the account on, of the policies that AWS manages.
    """

    version: str
    region: str
    zones: Mapping[str, str]
    instance_types: Mapping[str, Mapping[str, Any]]
    managed_policies: Sequence[str]


class Account:
    """An account, and the list of what it was asked in vain."""

    def __init__(self, mentions: Mentions, facts: Facts) -> None:
        self.mentions = mentions
        self.facts = facts
        self.unanswered: list[str] = []

    def answer(self, service: str, operation: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return what AWS would. Raises ClientError where AWS would, UnansweredError where nobody knows."""
        name = f"{service}.{operation}"
        if name not in _ANSWERS:
            self.unanswered.append(name)
            message = f"{name} has no answer in tests/oracle/answers: {dict(parameters)}"
            raise UnansweredError(message)
        return copy.deepcopy(_ANSWERS[name](self, parameters))  # pcluster changes some answers in place

    def zone_of(self, subnet: str) -> str:
        """Return the availability zone of a subnet."""
        return self.facts.region + self.facts.zones.get(subnet, "a")

    def zones(self) -> list[str]:
        """Return the availability zones of the config's subnets."""
        return sorted({self.zone_of(subnet) for subnet in self.mentions.subnets} or {self.zone_of("")})
