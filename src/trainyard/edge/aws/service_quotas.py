"""Service Quotas: how much of something an account may have.

https://docs.aws.amazon.com/servicequotas/2019-06-24/apireference/Welcome.html
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client

_NONE = ("NoSuchResourceException",)


class Quota(NamedTuple):
    """What an account may have."""

    name: str
    value: float


def quota(account: Account, service: str, code: str) -> Quota | None:
    """Return the quota of an account, or AWS's default where the account has none of its own; None where unknown."""
    return _quota(account, "GetServiceQuota", "get_service_quota", service, code) or _quota(
        account, "GetAWSDefaultServiceQuota", "get_aws_default_service_quota", service, code
    )


def _quota(account: Account, action: str, operation: str, service: str, code: str) -> Quota | None:
    def ask() -> Quota:
        call = getattr(client(account, "service-quotas"), operation)
        described = call(ServiceCode=service, QuotaCode=code)["Quota"]
        return Quota(described.get("QuotaName", code), float(described["Value"]))

    return answer_or_none(account, f"servicequotas:{action}", ask, _NONE)
