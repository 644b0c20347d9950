"""A DynamoDB table."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::DynamoDB::Table"
_NAMES = (
    *("AttributeDefinitions", "BillingMode", "DeletionProtectionEnabled", "GlobalSecondaryIndexes", "KeySchema"),
    *("LocalSecondaryIndexes", "ProvisionedThroughput", "TableClass"),
)


def create(aws: Aws, wanted: Wanted) -> Made:
    """Make it."""
    name = wanted.properties.get("TableName", wanted.name)
    asked = {**picked(wanted.properties, *_NAMES), **with_tags(wanted)}
    made = aws.client("dynamodb").create_table(TableName=name, **asked)
    return Made(name, {"Arn": made["TableDescription"]["TableArn"]})


def delete(aws: Aws, made: Made) -> None:
    """Delete it with everything in it."""
    aws.client("dynamodb").delete_table(TableName=made.id)
