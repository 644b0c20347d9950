"""Policies of nodes that what runs in containers gets as well."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield policies that the spec gives to nodes, and what of the jobs reaches them."""
    if platform_of(spec).has_kubernetes:
        for path in (("eks", "node_policies"), ("iam", "policies")):
            if policies := getattr(getattr(spec, path[0]), path[1]):
                problem = f"pods may ask for the role of their node, so every pod has {', '.join(policies)}"
                yield Problem(path, problem, "give pods roles of their own by EKS Pod Identity, and remove the key")
    elif spec.iam.policies:
        # https://docs.aws.amazon.com/batch/latest/userguide/networking-modes-jobs.html
        named = ", ".join(spec.iam.policies)
        problem = f"jobs of a single node have the network of their node, and so what it may do: {named}"
        yield Problem(("iam", "policies"), problem, severity="info")


RULE = Rule(
    severity="warning",
    applies_to=("has_kubernetes", "has_batch"),
    title="Node role open to jobs",
    rationale=(
        "Containers that reach the metadata service of their node have its role, whoever runs them. trainyard closes "
        "it to pods, unless nodes have policies, which are for pods then, and to jobs of several nodes on AWS Batch. "
        "AWS knows no way to close it to jobs that share the network of their node."
    ),
    remedy="write what jobs need into batch.job_policies, and remove the key",
    source="https://docs.aws.amazon.com/AmazonECS/latest/developerguide/ec2-security-considerations.html",
    bad="""\
platform: eks
iam: {policies: ["arn:aws:iam::123456789012:policy/read-my-bucket"]}
""",
    good="""\
platform: eks
access: {allow_from: [203.0.113.7/32]}
""",
    check=check,
)
