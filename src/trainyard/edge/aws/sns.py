"""Amazon SNS: who has subscribed to a topic.

https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import pages_or_none

_UNCONFIRMED = "PendingConfirmation"
_MOST_PAGES = 20  # of a hundred


class Subscription(NamedTuple):
    """One who is told."""

    address: str
    confirmed: bool


def subscriptions(account: Account, topic_arn: str) -> tuple[Subscription, ...] | None:
    """Return those of a topic, None where there is no such topic."""
    operation, missing = "list_subscriptions_by_topic", {"NotFound", "NotFoundException"}
    bounds: dict[str, Any] = {"TopicArn": topic_arn, "PaginationConfig": {"MaxItems": _MOST_PAGES * 100}}
    listed = pages_or_none(account, "sns", operation, "Subscriptions", none_if=missing, **bounds)
    if listed is None:
        return None
    return tuple(
        Subscription(described["Endpoint"], described["SubscriptionArn"] != _UNCONFIRMED) for described in listed
    )
