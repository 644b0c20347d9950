"""AWS Secrets Manager: whether secrets exist. Their values are never asked for."""

from __future__ import annotations

from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call


def secret(account: Account, arn: str) -> dict[str, Any] | None:
    """Return what is known about a secret, without its value; None where there is none of this ARN.

    https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DescribeSecret.html
    """
    missing = ("ResourceNotFoundException",)
    answer: dict[str, Any] | None = call(account, "secretsmanager", "describe_secret", none_if=missing, SecretId=arn)
    return answer
