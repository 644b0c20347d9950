"""Amazon SNS: who has subscribed to a topic.

https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html
"""

from __future__ import annotations

from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import answer_or_none, client

_UNCONFIRMED = "PendingConfirmation"
_MOST_PAGES = 20  # of a hundred


class Subscription(NamedTuple):
    """One who is told."""

    address: str
    confirmed: bool


def subscriptions(account: Account, topic_arn: str) -> tuple[Subscription, ...] | None:
    """Return those of a topic, None where there is no such topic."""

    def ask() -> tuple[Subscription, ...]:
        pages = client(account, "sns").get_paginator("list_subscriptions_by_topic")
        config = {"MaxItems": _MOST_PAGES * 100}
        listed = pages.paginate(TopicArn=topic_arn, PaginationConfig=config)
        found = [one for page in listed for one in page["Subscriptions"]]
        return tuple(Subscription(one["Endpoint"], one["SubscriptionArn"] != _UNCONFIRMED) for one in found)

    return answer_or_none(account, "sns:ListSubscriptionsByTopic", ask, {"NotFound", "NotFoundException"})
