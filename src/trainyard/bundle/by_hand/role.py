"""Making roles for AWS services, within the bounds that the spec draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import aws, document

if TYPE_CHECKING:
    from trainyard.spec.cluster import Spec


def role(spec: Spec, name: str, service: str) -> str:
    """Return how to make a role that a service may take, and print its ARN."""
    trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": "sts:AssumeRole"}
    bound = spec.iam.permissions_boundary
    return aws(
        spec.region, "iam create-role", "--role-name", name, "--assume-role-policy-document",
        document({"Version": "2012-10-17", "Statement": [trust]}),
        *(() if bound is None else ("--permissions-boundary", bound)), "--query", "Role.Arn", "--output", "text",
    )  # fmt: skip
