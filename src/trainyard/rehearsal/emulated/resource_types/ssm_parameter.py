"""A parameter of Systems Manager."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked, with_tags
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::SSM::Parameter"
_NAMES = ("AllowedPattern", "DataType", "Description", "Policies", "Tier", "Type", "Value")


def create(aws: Aws, wanted: Wanted) -> Made:
    """Put it there; one that exists already is left alone, and the call fails."""
    name = wanted.properties.get("Name", wanted.name)
    aws.client("ssm").put_parameter(Name=name, **picked(wanted.properties, *_NAMES), **with_tags(wanted))
    return Made(name, picked(wanted.properties, "Type", "Value"))


def update(aws: Aws, made: Made, wanted: Wanted) -> Made:
    """Write the new value over the old one."""
    aws.client("ssm").put_parameter(Name=made.id, Overwrite=True, **picked(wanted.properties, *_NAMES))
    made.attributes = picked(wanted.properties, "Type", "Value")
    return made


def delete(aws: Aws, made: Made) -> None:
    """Delete it."""
    aws.client("ssm").delete_parameter(Name=made.id)
