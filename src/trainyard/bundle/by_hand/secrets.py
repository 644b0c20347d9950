"""Looking whether the secrets exist that a cluster reads when it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.bundle.by_hand.aws_command import aws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.spec.cluster import Spec


def secrets_of(spec: Spec) -> Sequence[str]:
    """Return the ARNs of all secrets that a spec names."""
    slurm, directory = spec.parallelcluster.slurm, spec.access.directory_service
    database = slurm.accounting.database if slurm.accounting is not None else None
    named = (
        directory.password_secret if directory is not None else None,
        database.password_secret if database is not None else None,
        slurm.munge_secret,
    )
    return [arn for arn in dict.fromkeys(named) if arn is not None]


def secrets(spec: Spec) -> Sequence[str]:
    """Return how to ask for each secret."""
    shown = ("--query", "Name", "--output", "text")
    return [aws(spec.region, "secretsmanager describe-secret", "--secret-id", arn, *shown) for arn in secrets_of(spec)]
