"""The secrets that nodes read when they start."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.spec.cluster import Spec


def named_secrets(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Yield the ARN of each with where it stands."""
    if spec.access.directory_service is not None:
        path: Path = ("access", "directory_service", "password_secret")
        yield path, spec.access.directory_service.password_secret
    slurm = spec.parallelcluster.slurm
    if slurm.munge_secret is not None:
        yield ("parallelcluster", "slurm", "munge_secret"), slurm.munge_secret
    if slurm.accounting is not None and slurm.accounting.database is not None:
        path = ("parallelcluster", "slurm", "accounting", "database", "password_secret")
        yield path, slurm.accounting.database.password_secret
