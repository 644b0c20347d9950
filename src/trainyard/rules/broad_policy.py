"""Policies of AWS's own that reach the whole account."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec

# https://docs.aws.amazon.com/aws-managed-policy/latest/reference/policy-list.html
_BROAD = re.compile(
    r":iam::aws:policy/(?:.+/)?((?:.*(?:ReadOnlyAccess|FullAccess))|AdministratorAccess|PowerUserAccess)$"
)


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
