"""Who may say something to a topic."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.resource import Aws, LogicalResource, PhysicalResource

TYPE = "AWS::SNS::TopicPolicy"


def create(aws: Aws, resource: LogicalResource) -> PhysicalResource:
    """Put it in the place of the policy that every topic has from the start."""
    for topic in resource.properties["Topics"]:
        aws.client("sns").set_topic_attributes(
            TopicArn=topic, AttributeName="Policy", AttributeValue=json.dumps(resource.properties["PolicyDocument"])
        )
    return PhysicalResource(resource.name, {"Id": resource.name})


def update(aws: Aws, physical: PhysicalResource, resource: LogicalResource) -> PhysicalResource:
    """Write it anew."""
    create(aws, resource)
    return physical


def delete(aws: Aws, physical: PhysicalResource) -> None:
    """Leave it: a topic cannot be without one, and CloudFormation does not bring the first one back."""
    del aws, physical
