"""A placement group that is left out when it is asked for, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.batch import compute_environments
from trainyard.rules.documents import mapping_at

_NOTHING = {"Ref": "AWS::NoValue"}


def check(document: Document) -> Iterator[Problem]:
    """Yield placement groups that a condition leaves out where a parameter that creates them is true."""
    for environment in compute_environments(document):
        match environment.written.get("PlacementGroup"):
            case {"Fn::If": (str(condition), yes, no)} if yes == _NOTHING and no != _NOTHING:
                if parameter := _asked_for(document, condition):
                    message = f"{environment.resource} has no placement group where {parameter} is true"
                    yield Problem((*environment.path, "PlacementGroup"), message)


def _asked_for(document: Document, condition: str) -> str | None:
    """Return the parameter of a condition that holds where it is true, and whose name says that it makes something."""
    match mapping_at(document, "Conditions").get(condition):
        case {"Fn::Equals": ({"Ref": str(name)}, str(value)) | (str(value), {"Ref": str(name)})}:
            return name if value.lower() == "true" and "placement" in name.lower() else None
        case _:
            return None


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Placement group the wrong way round",
    rationale=(
        "The first value of Fn::If is the one for a condition that holds. With AWS::NoValue there, nodes stand apart "
        "when a placement group was asked for, and together when it was not, which reserved capacity may not allow."
    ),
    remedy="exchange the two values",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html",
    bad="""\
Conditions:
  Placed: !Equals [!Ref CreatePlacementGroup, "true"]
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {PlacementGroup: !If [Placed, !Ref AWS::NoValue, !Ref Group]}
""",
    good="""\
Conditions:
  Placed: !Equals [!Ref CreatePlacementGroup, "true"]
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeResources: {PlacementGroup: !If [Placed, !Ref Group, !Ref AWS::NoValue]}
""",
    check=check,
)
