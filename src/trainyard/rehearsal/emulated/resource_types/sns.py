"""Topics of Amazon SNS and who may publish to them."""

from __future__ import annotations

import json
from collections.abc import Mapping

from trainyard.rehearsal.emulated.resource import (
    Aws,
    LogicalResource,
    PhysicalResource,
    ResourceType,
    with_tags,
    written_properties,
)

_ATTRIBUTES = ("DisplayName", "KmsMasterKeyId")


def _create_topic(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    name = resource.properties.get("TopicName", resource.name)
    attributes = written_properties(resource.properties, *_ATTRIBUTES)
    arn = aws.client("sns").create_topic(Name=name, Attributes=attributes, **with_tags(resource))["TopicArn"]
    for subscription in resource.properties.get("Subscription", ()):
        aws.client("sns").subscribe(TopicArn=arn, Protocol=subscription["Protocol"], Endpoint=subscription["Endpoint"])
    return PhysicalResource(arn, {"TopicArn": arn, "TopicName": name})


def _update_topic(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Change what it is called and how it is encrypted."""
    for name in _ATTRIBUTES:
        value = resource.properties.get(name, "")
        aws.client("sns").set_topic_attributes(TopicArn=physical.id, AttributeName=name, AttributeValue=value)
    return physical


def _delete_topic(aws: Aws, physical: PhysicalResource) -> None:
    """Delete it, with its subscriptions."""
    aws.client("sns").delete_topic(TopicArn=physical.id)


def _create_topic_policy(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Put it in the place of the policy that every topic has from the start."""
    for topic in resource.properties["Topics"]:
        aws.client("sns").set_topic_attributes(
            TopicArn=topic, AttributeName="Policy", AttributeValue=json.dumps(resource.properties["PolicyDocument"])
        )
    return PhysicalResource(resource.name, {"Id": resource.name})


def _update_topic_policy(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Write it anew."""
    _create_topic_policy(aws, resource)
    return physical


def _delete_topic_policy(aws: Aws, physical: PhysicalResource) -> None:
    """Leave it: a topic cannot be without one, and CloudFormation does not bring the first one back."""
    del aws, physical


RESOURCE_TYPES: Mapping[str, ResourceType] = {
    "AWS::SNS::Topic": ResourceType(_create_topic, _delete_topic, _update_topic),
    "AWS::SNS::TopicPolicy": ResourceType(_create_topic_policy, _delete_topic_policy, _update_topic_policy),
}
