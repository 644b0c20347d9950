"""Whether Prometheus has our rules and can evaluate them, and whether somebody receives the alerts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.edge.aws.sns import subscriptions
from trainyard.finding import Finding
from trainyard.foreign_text import quoted_or
from trainyard.monitoring.alert import alerts_for
from trainyard.monitoring.features import features_of
from trainyard.monitoring.prometheus_rules import watched_rules
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import short_list


def rules(situation: Situation) -> Iterator[Finding]:
    """Yield the rules that are not loaded, and those that fail."""
    loaded = [rule for group in situation.keeper.rules() for rule in group.get("rules", ())]
    names = {str(rule.get("name")) for rule in loaded}
    expected = _expected_rules(situation)
    situation.looked_at["rules"] += len(expected & names)
    missing = sorted(expected - names)
    if missing:
        message = f"{len(missing)} of {len(expected)} rules are not loaded: {short_list(missing)}"
        yield finding("rules-not-loaded", message)
    yield from _failing(loaded)


def alert_delivery(situation: Situation) -> Iterator[Finding]:
    """Yield a topic that is gone, that nobody listens to, or whose subscription waits for a confirmation."""
    account = situation.account
    topic = None if account is None else account.outputs.get("AlertTopicArn")
    if account is None or topic is None:
        return
    confirmed = subscriptions(account.account, topic)
    if confirmed is None:
        yield finding("alert-topic-missing", f"the topic {topic} of the alerts is not there")
        return
    situation.looked_at["subscriptions"] += len(confirmed)
    waiting = [subscription.address for subscription in confirmed if not subscription.confirmed]
    if waiting:
        yield finding("alert-subscription-unconfirmed", f"{', '.join(waiting)} has not confirmed to want alerts")
    elif not confirmed:
        yield finding("alerts-reach-nobody", f"nobody has subscribed to {topic}")


def _expected_rules(situation: Situation) -> set[str]:
    """Return what is recorded, and the alerts that can fire in the cluster; others may be there besides."""
    document = watched_rules(alerts_for(features_of(situation.spec)))
    all_rules = [rule for group in document["groups"] for rule in group["rules"]]
    return {rule.get("alert") or rule["record"] for rule in all_rules}


def _failing(loaded: list[dict[str, Any]]) -> Iterator[Finding]:
    failing = {str(rule["name"]): str(rule.get("lastError", "")) for rule in loaded if rule.get("health") == "err"}
    if failing:
        why = next(iter(failing.values()))
        yield finding(
            "rule-failing",
            f"{short_list(sorted(failing))} cannot be evaluated: {quoted_or(why, 'it does not say why')}",
        )
