"""A condition with more or fewer branches than two, in a CloudFormation template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trainyard.counts import count_text
from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem


def check(document: Document) -> Iterator[Problem]:
    """Yield every Fn::If that is not a list of a condition and two values."""
    yield from _below(document.value, ())


def _below(value: Any, path: Path) -> Iterator[Problem]:
    if isinstance(value, dict):
        condition = value.get("Fn::If")
        if "Fn::If" in value and not (isinstance(condition, tuple) and len(condition) == 3):
            written = count_text(len(condition), "member") if isinstance(condition, tuple) else "no list"
            yield Problem((*path, "Fn::If"), f"Fn::If has {written} in place of a condition and two values")
        for key, member in value.items():
            yield from _below(member, (*path, key))
    elif isinstance(value, tuple):
        for index, member in enumerate(value):
            yield from _below(member, (*path, index))


RULE = DocumentRule(
    severity="error",
    title="Condition without two branches",
    rationale=(
        "Fn::If takes the name of a condition and the two values that it chooses from. CloudFormation refuses the "
        "template otherwise; for three cases one stands within the other."
    ),
    remedy="write [condition, value if true, value if false], and another Fn::If for a third value",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html",
    bad="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties: {ServiceRole: !If [HasRole, first, second, third]}
""",
    good="""\
Resources:
  Nodes:
    Type: AWS::Batch::ComputeEnvironment
    Properties: {ServiceRole: !If [HasRole, first, !If [HasOther, second, third]]}
""",
    check=check,
)
