"""The role in an instance profile of IAM, by which instances get their rights. Asks only.

https://docs.aws.amazon.com/IAM/latest/APIReference/API_GetInstanceProfile.html
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client


class InstanceProfile(NamedTuple):
    """An instance profile."""

    name: str
    role: str | None
    """The ARN of its role; None where it has none."""


def instance_profile(account: Account, name: str) -> InstanceProfile | None:
    """Return an instance profile by its name or ARN; None where there is none.

    Raises NotAllowedError, or TrainyardError where AWS does not answer.
    """
    plain = name.rpartition("/")[2]
    call = partial(client(account, "iam").get_instance_profile, InstanceProfileName=plain)
    found = answer_or_none(account, "iam:GetInstanceProfile", call, {"NoSuchEntity", "NoSuchEntityException"})
    if found is None:
        return None
    roles = found["InstanceProfile"]["Roles"]
    return InstanceProfile(plain, roles[0]["Arn"] if roles else None)
