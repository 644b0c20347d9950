"""A parameter that may be left out by its words and not by its type, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Severity
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import parameters


def check(document: Document) -> Iterator[Problem]:
    """Yield parameters whose value has to exist in AWS, with an empty default, or without one and called optional."""
    for name, parameter in parameters(document).items():
        type_ = str(parameter.get("Type"))
        if not type_.startswith(("AWS::EC2::", "AWS::Route53::", "List<AWS::")):
            continue
        if parameter.get("Default") == "":
            message = f"{name} has an empty default, and a {type_} has to exist"
            # A template within another one may always be given a value.
            severity: Severity = "error" if _is_called_optional(parameter) else "warning"
            yield Problem(("Parameters", name, "Default"), message, severity=severity)
        elif "Default" not in parameter and _is_called_optional(parameter):
            message = f"{name} is called optional, and a {type_} without a default has to be given"
            yield Problem(("Parameters", name), message)


def _is_called_optional(parameter: Mapping[str, Any]) -> bool:
    return "optional" in str(parameter.get("Description", "")).lower()


RULE = DocumentRule(
    severity="error",
    title="Optional parameter that is not optional",
    rationale=(
        "CloudFormation looks up what parameters of AWS's own types name, also where nothing was given: an empty image "
        "or key pair does not exist, and the stack is refused before anything is made."
    ),
    remedy='write Type: String and Default: "", and leave the property out by a condition',
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-supplied-parameter-types.html",
    bad="""\
Parameters:
  EC2KeyPair: {Type: "AWS::EC2::KeyPair::KeyName", Default: ""}
Resources:
  Nodes: {Type: AWS::Batch::ComputeEnvironment}
""",
    good="""\
Parameters:
  EC2KeyPair: {Type: String, Default: ""}
Resources:
  Nodes: {Type: AWS::Batch::ComputeEnvironment}
""",
    check=check,
)
