"""Service Quotas: how much of something an account may have.

https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/Welcome.html
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call

_NONE = ("NoSuchResourceException",)


class Quota(NamedTuple):
    """What an account may have."""

    name: str
    value: float


def quota(account: Account, service: str, code: str) -> Quota | None:
    """Return the quota of an account, or AWS's default where the account has none of its own; None where unknown."""
    operations = ("get_service_quota", "get_aws_default_service_quota")
    quotas = (_quota(account, operation, service, code) for operation in operations)
    return next((quota for quota in quotas if quota is not None), None)


def _quota(account: Account, operation: str, service: str, code: str) -> Quota | None:
    place = {"ServiceCode": service, "QuotaCode": code}
    answer = call(account, "service-quotas", operation, none_if=_NONE, **place)
    if answer is None:
        return None
    return Quota(answer["Quota"].get("QuotaName", code), float(answer["Quota"]["Value"]))
