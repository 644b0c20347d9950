"""A topic that says what it hears to whoever has subscribed."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::SNS::Topic"
_ATTRIBUTES = ("DisplayName", "KmsMasterKeyId")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    name = wanted.properties.get("TopicName", wanted.name)
    attributes = picked(wanted.properties, *_ATTRIBUTES)
    arn = aws.client("sns").create_topic(Name=name, Attributes=attributes, **with_tags(wanted))["TopicArn"]
    for one in wanted.properties.get("Subscription", ()):
        aws.client("sns").subscribe(TopicArn=arn, Protocol=one["Protocol"], Endpoint=one["Endpoint"])
    return Made(arn, {"TopicArn": arn, "TopicName": name})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Change what it is called and how it is encrypted."""
    for name in _ATTRIBUTES:
        value = wanted.properties.get(name, "")
        aws.client("sns").set_topic_attributes(TopicArn=made.id, AttributeName=name, AttributeValue=value)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it, with its subscriptions."""
    aws.client("sns").delete_topic(TopicArn=made.id)
