"""Policies of AWS's own that reach the whole account."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.document.node import Document
from trainyard.finding import Path, Severity
from trainyard.rules import Problem, Rule
from trainyard.rules.cloudformation.template import resources, text_of, values
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
_BROAD = re.compile(
    r":iam::aws:policy/(?:.+/)?((?:.*(?:ReadOnlyAccess|FullAccess))|AdministratorAccess|PowerUserAccess)$"
)
_WIDEST = ("AdministratorAccess", "PowerUserAccess", "AmazonS3", "IAMFullAccess")


def check(spec: Spec) -> Iterator[Problem]:
    """Yield managed policies that name no resource, with the narrower way where there is a key for it."""
    lists: tuple[tuple[Path, tuple[str, ...]], ...] = (
        (("iam", "policies"), spec.iam.policies),
        (("batch", "job_policies"), spec.batch.job_policies),
    )
    for path, policies in lists:
        for index, arn in enumerate(policies):
            if match := _BROAD.search(arn):
                whose = "every job" if path[0] == "batch" else "every node"
                yield Problem((*path, index), f"{arn} gives {whose} rights in the whole account", _remedy(match[1]))


def check_cloudformation(document: Document) -> Iterator[Problem]:
    """Yield such policies of roles; those that open everything, or every bucket, as warnings."""
    for role in resources(document, "AWS::IAM::Role"):
        path = (*role.path, "Properties", "ManagedPolicyArns")
        written = role.properties.get("ManagedPolicyArns")
        for index, member in enumerate(written if isinstance(written, tuple) else ()):
            named = values(document, member, (*path, index)) if text_of(member) == "" else [((*path, index), member)]
            for place, arn in named:
                if match := _BROAD.search(text_of(arn)):
                    severity: Severity | None = None if match[1].startswith(_WIDEST) else "info"
                    yield Problem(
                        place, f"{role.name} has rights in the whole account by {match[1]}", severity=severity
                    )


def _remedy(policy: str) -> str:
    if policy == "AmazonS3ReadOnlyAccess":
        return "name the buckets in iam.read_buckets, or write a policy of your own that names them"
    return "write a policy of your own that names the calls and resources that are needed"


RULE = Rule(
    severity="warning",
    title="Broad managed policy",
    rationale=(
        "AWS's policies for reading or managing a service name no resource, so they reach every bucket, secret or "
        "instance of the account. What a node may do, whoever becomes root on it may do, from anywhere."
    ),
    remedy="name the buckets in iam.read_buckets, or write a policy of your own that names what is needed",
    source="https://docs.aws.amazon.com/IAM/latest/UserGuide/best-practices.html#grant-least-privilege",
    bad="""\
iam: {policies: ["arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"]}
""",
    good="""\
iam: {read_buckets: [my-bucket]}
""",
    check=check,
)
CLOUDFORMATION = RULE.in_documents(
    "cloudformation-broad-policy",
    check_cloudformation,
    remedy="write a policy of your own that names the calls and resources that are needed",
    bad="""\
Resources:
  Nodes:
    Type: AWS::IAM::Role
    Properties: {ManagedPolicyArns: ["arn:aws:iam::aws:policy/AmazonS3FullAccess"]}
""",
    good="""\
Resources:
  Nodes:
    Type: AWS::IAM::Role
    Properties: {ManagedPolicyArns: ["arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"]}
""",
)
