"""Whether alerts reach anybody: the topic that they go to, and who has subscribed to it."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.edge.aws.sns import subscriptions
from trainyard.finding import Finding
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation


def alerting(situation: Situation) -> Iterator[Finding]:
    """Yield a topic that is gone, that nobody listens to, or whose subscription waits for a confirmation."""
    account = situation.account
    topic = None if account is None else account.outputs.get("AlertTopicArn")
    if account is None or topic is None:
        return
    found = subscriptions(account.account, topic)
    if found is None:
        yield finding("alert-topic-missing", f"the topic {topic} of the alerts is not there")
        return
    situation.looked_at["subscriptions"] += len(found)
    waiting = [one.address for one in found if not one.confirmed]
    if waiting:
        yield finding("alert-subscription-unconfirmed", f"{', '.join(waiting)} has not confirmed to want alerts")
    elif not found:
        yield finding("alerts-reach-nobody", f"nobody has subscribed to {topic}")
