"""A default route that may come before its gateway, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import references_in, resources


def check(document: Document) -> Iterator[Problem]:
    """Yield routes to an internet gateway that wait for no attachment of it."""
    attachments = {
        name: attachment.name
        for attachment in resources(document, "AWS::EC2::VPCGatewayAttachment")
        for name in references_in(attachment.properties.get("InternetGatewayId"))
    }
    for route in resources(document, "AWS::EC2::Route"):
        for gateway in sorted(references_in(route.properties.get("GatewayId")) & attachments.keys()):
            if attachments[gateway] not in _awaited(route.written.get("DependsOn")):
                message = f"{route.name} may be made before {attachments[gateway]} attaches {gateway}"
                yield Problem(route.path, message, f"write DependsOn: {attachments[gateway]}")


def _awaited(depends_on: Any) -> tuple[Any, ...]:
    return depends_on if isinstance(depends_on, tuple) else (depends_on,)


RULE = DocumentRule(
    severity="warning",
    title="Route that does not wait for its gateway",
    rationale=(
        "CloudFormation makes what does not refer to each other at the same time, and a route names the gateway and "
        "not its attachment. Now and then the route comes first, EC2 refuses it, and the stack is rolled back."
    ),
    remedy="write DependsOn with the attachment of the gateway",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-dependson.html",
    bad="""\
Resources:
  Nodes: {Type: AWS::Batch::ComputeEnvironment}
  Gateway: {Type: AWS::EC2::InternetGateway}
  Attachment: {Type: AWS::EC2::VPCGatewayAttachment, Properties: {VpcId: vpc-1, InternetGatewayId: !Ref Gateway}}
  Route: {Type: AWS::EC2::Route, Properties: {DestinationCidrBlock: 0.0.0.0/0, GatewayId: !Ref Gateway}}
""",
    good="""\
Resources:
  Nodes: {Type: AWS::Batch::ComputeEnvironment}
  Gateway: {Type: AWS::EC2::InternetGateway}
  Attachment: {Type: AWS::EC2::VPCGatewayAttachment, Properties: {VpcId: vpc-1, InternetGatewayId: !Ref Gateway}}
  Route:
    Type: AWS::EC2::Route
    DependsOn: Attachment
    Properties: {DestinationCidrBlock: 0.0.0.0/0, GatewayId: !Ref Gateway}
""",
    check=check,
)
