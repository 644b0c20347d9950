"""Amazon SNS: who has subscribed to a topic, and what is sent to all who have.

https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptionsByTopic.html
"""

from __future__ import annotations

from typing import Any, NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.calls import call, pages_or_none

_UNCONFIRMED = "PendingConfirmation"
# A subject is ASCII without line breaks, and a message has no more than 256 KiB.
# https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
_LONGEST_SUBJECT, _MOST_BYTES = 100, 262_144
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


def publish(account: Account, topic_arn: str, subject: str, text: str) -> None:
    """Send a text to all who have subscribed to a topic. What is longer than SNS allows is cut."""
    ascii_only = subject.encode("ascii", "replace").decode()
    one_line = "".join(letter if letter.isprintable() else " " for letter in ascii_only)[:_LONGEST_SUBJECT]
    message = text.encode(errors="replace")[:_MOST_BYTES].decode(errors="ignore")
    doing = f"send to {topic_arn}"
    call(account, "sns", "publish", doing=doing, TopicArn=topic_arn, Subject=one_line, Message=message)
