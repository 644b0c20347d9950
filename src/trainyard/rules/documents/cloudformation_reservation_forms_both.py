"""A reservation and a group of them as one target, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import launch_templates
from trainyard.rules.cloudformation.template import mappings

_ID, _GROUP = "CapacityReservationId", "CapacityReservationResourceGroupArn"


def check(document: Document) -> Iterator[Problem]:
    """Yield targets that always have both forms. Where a condition leaves one out, it depends on the parameters."""
    for template in launch_templates(document):
        path = (*template.path, "CapacityReservationSpecification")
        for place, specification in mappings(document, template.written.get("CapacityReservationSpecification"), path):
            written = specification.get("CapacityReservationTarget")
            for at, target in mappings(document, written, (*place, "CapacityReservationTarget")):
                if _is_certain(target.get(_ID)) and _is_certain(target.get(_GROUP)):
                    message = f"{template.resource} targets both {_ID} and {_GROUP}"
                    yield Problem((*at, _GROUP), message)


def _is_certain(value: object) -> bool:
    return value is not None and not (isinstance(value, dict) and "Fn::If" in value)


RULE = DocumentRule(
    severity="error",
    title="Both forms of a reservation",
    rationale="EC2 takes a reservation by its id or a resource group of several, and refuses a launch with both.",
    remedy="keep one, or choose between them by Fn::If and AWS::NoValue",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationTarget.html",
    bad="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        CapacityReservationSpecification:
          CapacityReservationTarget:
            CapacityReservationId: cr-0123456789abcdef0
            CapacityReservationResourceGroupArn: arn:aws:resource-groups:us-east-2:123456789012:group/training
""",
    good="""\
Resources:
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        MetadataOptions: {HttpTokens: required}
        CapacityReservationSpecification:
          CapacityReservationTarget:
            CapacityReservationId: cr-0123456789abcdef0
""",
    check=check,
)
