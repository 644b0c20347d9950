"""Slack, PagerDuty and webhooks that nobody can tell of alerts."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# Amazon Q Developer in chat applications is no way for Slack: of what comes by SNS it shows notifications of AWS
# services and of a schema of its own, and these are texts. https://docs.aws.amazon.com/chatbot/latest/adminguide/custom-notifs.html
_INSTEAD = {
    "slack": "write the mail address of the channel as alert_email, which Slack gives it, or write mode: self-hosting",
    "webhook": (
        "subscribe its address to the topic that the stack's output AlertTopicArn names, by `aws sns subscribe "
        "--protocol https`, or write mode: self-hosting"
    ),
}
"""What to do of Amazon's service, which sends to SNS and PagerDuty alone."""


def check(spec: Spec) -> Iterator[Problem]:
    """Yield receivers that the Alertmanager of the mode does not know, and those that its instance does not reach."""
    by_amazon = spec.monitoring.mode in ("amp-only", "amp+amg")
    without_internet = spec.monitoring.mode == "self-hosting" and spec.network.internet == "none"
    for index, receiver in enumerate(spec.monitoring.alert_receivers):
        path = ("monitoring", "alert_receivers", index, "kind")
        if by_amazon and receiver.kind in _INSTEAD:
            problem = (
                f"the Alertmanager of Amazon Managed Prometheus sends to SNS and PagerDuty only, not to {receiver.kind}"
            )
            yield Problem(path, problem, _INSTEAD[receiver.kind])
        elif without_internet:
            yield _out_of_reach(path, receiver.kind, own_network=spec.network.existing is None)


def _out_of_reach(path: Path, kind: str, *, own_network: bool) -> Problem:
    # A webhook may be in a network that the VPC is connected to; a network of the user's own may have other ways out.
    possible = kind == "webhook" or not own_network
    what = "may not reach" if possible else "cannot reach"
    return Problem(
        path,
        f"the instance of the monitoring {what} {kind}: network.internet is none",
        "see that the VPC reaches it by HTTPS on port 443, or write internet: nat" if possible else None,
        "warning" if possible else None,
    )


RULE = Rule(
    severity="error",
    title="Receiver of alerts that is not told",
    rationale=(
        "Alertmanager on an instance of the monitoring tells whoever it reaches. Amazon Managed Prometheus has one of "
        "its own, which tells topics of SNS and PagerDuty, nobody else, and refuses a definition that names others."
    ),
    remedy="write internet: nat, or remove the receiver and subscribe to the topic of SNS",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver.html",
    bad="""\
monitoring:
  mode: amp-only
  alert_receivers:
    - {kind: slack, secret: "arn:aws:secretsmanager:us-east-2:123456789012:secret:slack-AbCdEf"}
""",
    good="""\
monitoring:
  mode: amp-only
  alert_email: alerts-aaaa1234@example.slack.com
  alert_receivers:
    - {kind: pagerduty, secret: "arn:aws:secretsmanager:us-east-2:123456789012:secret:pagerduty-AbCdEf"}
""",
    check=check,
)
