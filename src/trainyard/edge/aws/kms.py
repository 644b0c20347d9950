"""AWS KMS: keys. Asks only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.edge.aws.asking import answer_or_none, client

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account


def key(account: Account, arn: str) -> dict[str, Any] | None:
    """Return a key, None where there is none of this ARN.

    https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
    """

    def ask() -> dict[str, Any]:
        described: dict[str, Any] = client(account, "kms").describe_key(KeyId=arn)["KeyMetadata"]
        return described

    return answer_or_none(account, "kms:DescribeKey", ask, ("NotFoundException",))
