"""Tells whose file a document is, among those that there are rules for."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from trainyard.rules.documents import DocumentKind

# The short forms of intrinsic functions, and what each stands for. Ref and Condition have no prefix.
# https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
_FUNCTIONS = (
    "And", "Base64", "Cidr", "Equals", "FindInMap", "GetAtt", "GetAZs", "If", "ImportValue", "Join", "Length", "Not",
    "Or", "Select", "Split", "Sub", "ToJsonString", "Transform",
)  # fmt: skip
FUNCTIONS = MappingProxyType(
    {"!Ref": "Ref", "!Condition": "Condition", **{f"!{name}": f"Fn::{name}" for name in _FUNCTIONS}}
)
# A template with none of these has nothing that the rules look at.
_LOOKED_AT = ("AWS::Batch::", "AWS::EC2::LaunchTemplate")


def document_kind(value: Any) -> DocumentKind | None:
    """Return the kind of a document, or None where there are no rules for it."""
    if not isinstance(value, dict):
        return None
    # https://docs.aws.amazon.com/eks/latest/eksctl/schema.html
    api, kind = value.get("apiVersion"), value.get("kind")
    if isinstance(api, str) and api.startswith("eksctl.io/") and kind in ("ClusterConfig", None):
        return "eksctl"
    resources = value.get("Resources")
    types = (
        [one.get("Type") for one in resources.values() if isinstance(one, dict)] if isinstance(resources, dict) else []
    )
    if any(isinstance(type_, str) and type_.startswith(_LOOKED_AT) for type_ in types):
        return "cloudformation"
    return None
