"""Passwords that everybody who sees a CloudFormation template knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.rules import DocumentRule, Problem
from trainyard.rules.cloudformation.template import parameters

_PASSWORD = re.compile(r"(?:pass(?:word|wd|phrase)|secret(?:key|token)?|token)$", re.IGNORECASE)
# Where a secret lies, or none at all.
_NO_SECRET = re.compile(r"|none|null|\{\{resolve:.*\}\}|arn:.*|/.*|https?:.*|.*[<$].*", re.IGNORECASE)


def check(document: Document) -> Iterator[Problem]:
    """Yield defaults of parameters that are not to be shown, or are called passwords."""
    for name, parameter in parameters(document).items():
        default = parameter.get("Default")
        is_secret = str(parameter.get("NoEcho")).lower() == "true" or _PASSWORD.search(name)
        is_text = str(parameter.get("Type")) == "String" and "AllowedValues" not in parameter
        if is_secret and is_text and isinstance(default, str) and not _NO_SECRET.fullmatch(default):
            yield Problem(
                ("Parameters", name, "Default"), f"{name} has a default that everybody with the template knows"
            )


RULE = DocumentRule(
    severity="warning",
    confidence="likely",
    title="Password that everybody knows",
    rationale=(
        "A default is what most stacks are made with. Whoever has seen the template then opens Grafana, a database or "
        "a directory of every one of them."
    ),
    remedy="remove the default, or let Secrets Manager make a password with GenerateSecretString",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/security-best-practices.html#creds",
    bad="""\
Parameters:
  GrafanaPassword: {Type: String, NoEcho: true, Default: grafana-2026}
Resources:
  Nodes: {Type: AWS::EC2::VPC}
""",
    good="""\
Parameters:
  GrafanaPassword: {Type: String, NoEcho: true, MinLength: 16}
Resources:
  Nodes: {Type: AWS::EC2::VPC}
""",
    check=check,
)
