"""AWS KMS: keys. Asks only."""

from __future__ import annotations

import json
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call

_NO_KEY = ("NotFoundException",)


def key(account: Account, arn: str) -> dict[str, Any] | None:
    """Return a key, None where there is none of this ARN.

    https://docs.aws.amazon.com/kms/latest/APIReference/API_DescribeKey.html
    """
    answer = call(account, "kms", "describe_key", none_if=_NO_KEY, KeyId=arn)
    return None if answer is None else dict(answer["KeyMetadata"])


def statements(account: Account, arn: str) -> tuple[dict[str, Any], ...] | None:
    """Return the statements of a key's own policy, None where there is none of this ARN in the account.

    https://docs.aws.amazon.com/kms/latest/APIReference/API_GetKeyPolicy.html
    """
    answer = call(account, "kms", "get_key_policy", none_if=_NO_KEY, KeyId=arn)
    if answer is None:
        return None
    written = json.loads(answer["Policy"]).get("Statement", ())
    return (written,) if isinstance(written, dict) else tuple(written)
