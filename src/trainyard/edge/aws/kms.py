"""AWS KMS: keys. Asks only."""

from __future__ import annotations

import json
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client


def key(account: Account, arn: str) -> dict[str, Any] | None:
    """Return a key, None where there is none of this ARN.

    https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
    """

    def ask() -> dict[str, Any]:
        described: dict[str, Any] = client(account, "kms").describe_key(KeyId=arn)["KeyMetadata"]
        return described

    return answer_or_none(account, "kms:DescribeKey", ask, ("NotFoundException",))


def statements(account: Account, arn: str) -> tuple[dict[str, Any], ...] | None:
    """Return the statements of a key's own policy, None where there is none of this ARN in the account.

    https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyPolicy.html
    """

    def ask() -> dict[str, Any]:
        policy: dict[str, Any] = json.loads(client(account, "kms").get_key_policy(KeyId=arn)["Policy"])
        return policy

    policy = answer_or_none(account, "kms:GetKeyPolicy", ask, ("NotFoundException",))
    if policy is None:
        return None
    found = policy.get("Statement", ())
    return (found,) if isinstance(found, dict) else tuple(found)
