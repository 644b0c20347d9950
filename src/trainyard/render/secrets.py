"""Secrets that a spec names."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.spec.cluster import Spec


def secrets_of(spec: Spec) -> Sequence[str]:
    """Return the ARNs of all of them, each once."""
    slurm, directory = spec.parallelcluster.slurm, spec.access.directory_service
    database = slurm.accounting.database if slurm.accounting is not None else None
    named = (
        directory.password_secret if directory is not None else None,
        database.password_secret if database is not None else None,
        slurm.munge_secret,
    )
    return [arn for arn in dict.fromkeys(named) if arn is not None]
