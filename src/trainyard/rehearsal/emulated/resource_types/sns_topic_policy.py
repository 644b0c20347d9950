"""Who may say something to a topic."""

from __future__ import annotations

import json

from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::SNS::TopicPolicy"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Put it in the place of the policy that every topic has from the start."""
    for topic in wanted.properties["Topics"]:
        aws.client("sns").set_topic_attributes(
            TopicArn=topic, AttributeName="Policy", AttributeValue=json.dumps(wanted.properties["PolicyDocument"])
        )
    return Made(wanted.name, {"Id": wanted.name})


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Write it anew."""
    create(aws, wanted)
    return made


def delete(aws: Aws, made: Made) -> None:
    """Leave it: a topic cannot be without one, and CloudFormation does not bring the first one back."""
    del aws, made
