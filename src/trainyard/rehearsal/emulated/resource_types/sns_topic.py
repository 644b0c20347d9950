"""A topic that says what it hears to whoever has subscribed."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::SNS::Topic"
_ATTRIBUTES = ("DisplayName", "KmsMasterKeyId")


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Make it."""
    name = resource.properties.get("TopicName", resource.name)
    attributes = picked(resource.properties, *_ATTRIBUTES)
    arn = aws.client("sns").create_topic(Name=name, Attributes=attributes, **with_tags(resource))["TopicArn"]
    for one in resource.properties.get("Subscription", ()):
        aws.client("sns").subscribe(TopicArn=arn, Protocol=one["Protocol"], Endpoint=one["Endpoint"])
    return PhysicalResource(arn, {"TopicArn": arn, "TopicName": name})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change what it is called and how it is encrypted."""
    for name in _ATTRIBUTES:
        value = resource.properties.get(name, "")
        aws.client("sns").set_topic_attributes(TopicArn=physical.id, AttributeName=name, AttributeValue=value)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, with its subscriptions."""
    aws.client("sns").delete_topic(TopicArn=physical.id)
