"""Who may call a Lambda function."""

from __future__ import annotations

from trainyard.rehearsal.emulated.properties import picked
from trainyard.rehearsal.emulated.resource import Aws, Made, Wanted

TYPE = "AWS::Lambda::Permission"


def create(aws: Aws, wanted: Wanted) -> Made:
    """Add it to the function's policy."""
    names = ("FunctionName", "Action", "Principal", "SourceArn", "SourceAccount", "EventSourceToken")
    aws.client("lambda").add_permission(StatementId=wanted.name, **picked(wanted.properties, *names))
    return Made(wanted.name, {"Id": wanted.name})


def delete(aws: Aws, made: Made) -> None:
    """Take it away."""
    function = picked(made.wanted.properties if made.wanted else {}, "FunctionName")
    aws.client("lambda").remove_permission(StatementId=made.id, **function)
