"""AWS Certificate Manager: certificates. Asks only."""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client


def certificate(account: Account, arn: str) -> dict[str, Any] | None:
    """Return a certificate, None where there is none of this ARN.

    https://docs.aws.amazon.com/acm/latest/APIReference/API_DescribeCertificate.html
    """

    def ask() -> dict[str, Any]:
        described: dict[str, Any] = client(account, "acm").describe_certificate(CertificateArn=arn)["Certificate"]
        return described

    return answer_or_none(account, "acm:DescribeCertificate", ask, ("ResourceNotFoundException",))
