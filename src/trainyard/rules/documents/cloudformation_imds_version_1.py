"""Instances whose metadata answers without a token, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import Problem
from trainyard.rules.cloudformation.batch import launch_templates
from trainyard.rules.cloudformation.template import mappings
from trainyard.rules.documents import DocumentRule


def check(document: Document) -> Iterator[Problem]:
    """Yield launch templates that do not require tokens."""
    for template in launch_templates(document):
        written = template.written.get("MetadataOptions")
        options = list(mappings(document, written, (*template.path, "MetadataOptions")))
        if written is None:
            message = f"{template.resource} has no MetadataOptions, so the image or the account decides about IMDSv1"
            yield Problem(template.path, message)
        for path, one in options:
            if one.get("HttpTokens") == "optional":
                yield Problem((*path, "HttpTokens"), f"{template.resource} answers IMDSv1: HttpTokens is optional")


RULE = DocumentRule(
    kind="cloudformation",
    severity="info",
    title="Metadata without a token",
    rationale=(
        "The first version of the metadata service gives the credentials of the instance's role to whoever makes it "
        "send one plain request. The second wants a token first."
    ),
    remedy="write MetadataOptions: {HttpTokens: required}",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: p4d.24xlarge}}
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {InstanceType: p4d.24xlarge, MetadataOptions: {HttpTokens: required}}}
""",
    check=check,
)
