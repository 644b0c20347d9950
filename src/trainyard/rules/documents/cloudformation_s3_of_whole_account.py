"""Statements that reach every bucket of the account, or all of it, in a CloudFormation template."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import members, resources, values
from trainyard.rules.documents import mapping_in

_POLICIES = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::RolePolicy")
_HOLDERS = ("AWS::IAM::Role", "AWS::IAM::Group", "AWS::IAM::User")
# Actions on objects; to list the names of buckets harms little.
_ACTION = re.compile(r"\*|s3:(?:\*|(?:Get|Put|Delete)(?:\*|Object\*?))", re.IGNORECASE)
_EVERYWHERE = re.compile(r"\*|arn:aws[\w-]*:s3:::\*(?:/\*)?")


def check(document: Document) -> Iterator[Problem]:
    """Yield statements that allow such an action on everything, without a condition."""
    for name, path, policy in _documents(document):
        for place, statement in _statements(document, policy.get("Statement"), (*path, "Statement")):
            if statement.get("Effect") != "Allow" or "Condition" in statement:
                continue
            action = next((one for one in _texts(statement.get("Action")) if _ACTION.fullmatch(one)), None)
            if action and any(map(_EVERYWHERE.fullmatch, _texts(statement.get("Resource")))):
                on = "every resource" if action == "*" else "every bucket"
                yield Problem(place, f"{name} allows {action} on {on} of the account")


def _documents(document: Document) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    for policy in resources(document, *_POLICIES):
        path = (*policy.path, "Properties", "PolicyDocument")
        yield policy.name, path, dict(mapping_in(policy.properties, "PolicyDocument"))
    for holder in resources(document, *_HOLDERS):
        path = (*holder.path, "Properties", "Policies")
        for place, inline in members(document, holder.properties.get("Policies"), path):
            if isinstance(inline, dict):
                yield holder.name, (*place, "PolicyDocument"), dict(mapping_in(inline, "PolicyDocument"))


def _statements(document: Document, written: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    listed = members(document, written, path) if isinstance(written, tuple) else values(document, written, path)
    yield from ((place, statement) for place, statement in listed if isinstance(statement, dict))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text for text in (value if isinstance(value, tuple) else (value,)) if isinstance(text, str))


RULE = DocumentRule(
    severity="warning",
    title="Rights in every bucket of the account",
    rationale=(
        "What a node may do, whoever becomes root on it may do, and every job that reaches its metadata. Nodes need "
        "the buckets of their data, not those of the backups and of other teams."
    ),
    remedy="name the buckets in Resource, with and without /*",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    bad="""\
Resources:
  Nodes:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: data
      PolicyDocument: {Statement: [{Effect: Allow, Action: ["s3:*"], Resource: "*"}]}
""",
    good="""\
Resources:
  Nodes:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: data
      PolicyDocument: {Statement: [{Effect: Allow, Action: ["s3:GetObject"], Resource: "arn:aws:s3:::training-data/*"}]}
""",
    check=check,
)
