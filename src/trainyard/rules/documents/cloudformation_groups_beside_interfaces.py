"""Security groups of a launch template that stand beside its network interfaces, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import launch_templates

_KEYS = ("SecurityGroupIds", "SecurityGroups")


def check(document: Document) -> Iterator[Problem]:
    """Yield groups beside interfaces, where both are written out; what a condition chooses may never be both."""
    for template in launch_templates(document):
        interfaces = template.written.get("NetworkInterfaces")
        for key in _KEYS:
            groups = template.written.get(key)
            if isinstance(interfaces, tuple) and interfaces and isinstance(groups, tuple) and groups:
                message = f"{template.resource} has {key} beside NetworkInterfaces"
                yield Problem((*template.path, key), message)


RULE = DocumentRule(
    severity="error",
    title="Security groups beside network interfaces",
    rationale=(
        "Where a launch template lists network interfaces, security groups belong to each of them. EC2 refuses to "
        "launch with both: “Network interfaces and an instance-level security groups may not be specified on the same "
        "request”. The stack is made all the same, and the first node fails."
    ),
    remedy="move them to Groups of each interface",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-ec2-launchtemplate-launchtemplatedata.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        SecurityGroupIds: [sg-0123456789abcdef0]
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa}]
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        NetworkInterfaces: [{DeviceIndex: 0, NetworkCardIndex: 0, InterfaceType: efa, Groups: [sg-0123456789abcdef0]}]
""",
    check=check,
)
