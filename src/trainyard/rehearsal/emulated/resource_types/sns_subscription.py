"""Somebody who hears what a topic says."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::SNS::Subscription"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Subscribe. Nobody is asked to confirm: nothing leaves this machine."""
    asked = picked(wanted.properties, "TopicArn", "Protocol", "Endpoint")
    arn = aws.client("sns").subscribe(**asked, ReturnSubscriptionArn=True)["SubscriptionArn"]
    return Made(arn, {"Arn": arn})


def delete(aws: Aws, made: Made) -> None:
    """Unsubscribe."""
    aws.client("sns").unsubscribe(SubscriptionArn=made.id)
