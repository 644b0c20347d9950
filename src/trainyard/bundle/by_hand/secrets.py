"""Looking whether the secrets exist that a cluster reads when it is made."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.bundle.by_hand.aws_command import aws
from trainyard.render.secrets import secrets_of
from trainyard.spec.cluster import Spec


def secrets(spec: Spec) -> Sequence[str]:
    """Return how to ask for each secret."""
    shown = ("--query", "Name", "--output", "text")
    return [aws(spec.region, "secretsmanager describe-secret", "--secret-id", arn, *shown) for arn in secrets_of(spec)]
