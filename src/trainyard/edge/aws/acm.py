"""AWS Certificate Manager: certificates. Asks only."""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call


def certificate(account: Account, arn: str) -> dict[str, Any] | None:
    """Return a certificate, None where there is none of this ARN.

    https://docs.aws.amazon.com/acm/latest/APIReference/API_DescribeCertificate.html
    """
    missing = ("ResourceNotFoundException",)
    answer = call(account, "acm", "describe_certificate", none_if=missing, CertificateArn=arn)
    return None if answer is None else dict(answer["Certificate"])
