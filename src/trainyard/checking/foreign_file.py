"""Checks one file, whosever it is: a spec by the rules about specs, a file of another tool by those about its kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from types import MappingProxyType
from typing import Any

from trainyard.checking.spec_file import FileFindings, OutsideValidator, check_text, told_and_suppressed, unread
from trainyard.document.node import Document
from trainyard.document.problems import MOST_FINDINGS
from trainyard.document.read import read_yaml
from trainyard.edge.text_file import read_text
from trainyard.errors import FindingsError
from trainyard.finding import Finding
from trainyard.rules import DocumentKind, all_document_rules

# The short forms of intrinsic functions, and what each stands for. Ref and Condition have no prefix.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
_FUNCTIONS = (
    "And", "Base64", "Cidr", "Equals", "FindInMap", "GetAtt", "GetAZs", "If", "ImportValue", "Join", "Length", "Not",
    "Or", "Select", "Split", "Sub", "ToJsonString", "Transform",
)  # fmt: skip
FUNCTIONS = MappingProxyType(
    {"!Ref": "Ref", "!Condition": "Condition", **{f"!{name}": f"Fn::{name}" for name in _FUNCTIONS}}
)
# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html
_EKSCTL = "eksctl.io/"
# A template with none of these has nothing that the rules look at.
_RESOURCE_TYPES = ("AWS::Batch::", "AWS::EC2::LaunchTemplate")


def check_any_file(file: str, outside: tuple[OutsideValidator, ...] = ()) -> FileFindings:
    """Return everything that is wrong with a file, worst first. Load errors are findings too."""
    try:
        text = read_text(file)
    except FindingsError as error:
        return unread(file, error)
    return _check_foreign(text, file) or check_text(text, file, outside)


def _check_foreign(text: str, file: str) -> FileFindings | None:
    """Return what the rules about a file of another tool say; None where there are none for it, as for a spec."""
    if not any(mark in text for mark in (_EKSCTL, *_RESOURCE_TYPES)):
        return None
    try:
        document = read_yaml(text, file, FUNCTIONS)
    except FindingsError:
        return None
    kind = document_kind(document.value)
    if kind is None:
        return None
    return FileFindings(file, None, *told_and_suppressed(text, file, document_findings(document, kind)), kind)


def document_kind(value: Any) -> DocumentKind | None:
    """Return the kind of a document, or None where there are no rules for it."""
    if not isinstance(value, dict):
        return None
    api, kind = value.get("apiVersion"), value.get("kind")
    if isinstance(api, str) and api.startswith(_EKSCTL) and kind in ("ClusterConfig", None):
        return "eksctl"
    resources = value.get("Resources")
    if not isinstance(resources, dict):
        return None
    types = [resource.get("Type") for resource in resources.values() if isinstance(resource, dict)]
    looked_at = any(isinstance(type_, str) and type_.startswith(_RESOURCE_TYPES) for type_ in types)
    return "cloudformation" if looked_at else None


def document_findings(document: Document, kind: DocumentKind) -> Iterator[Finding]:
    """Yield what the rules about documents of a kind object to, with the place of each; of one rule not without end."""
    for rule in all_document_rules():
        if rule.kind == kind:
            problems = islice(rule.check(document), MOST_FINDINGS)
            yield from (rule.finding_at(problem, document) for problem in problems)
