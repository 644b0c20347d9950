"""A rehearsal of an environment: stacks alone, without a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.work import Work
from trainyard.rehearsal.programs import no_programs, same_account
from trainyard.rehearsal.report.conditions import Condition

CONDITIONS: Mapping[str, Condition] = {}
STRIKES = frozenset({"resource"})

programs = no_programs
with_programs = same_account


def jobs() -> DeploymentStep | None:
    """Return None: nothing takes jobs."""
    return None


def archive_files(work: Work) -> Iterator[tuple[str, str]]:
    """Yield nothing."""
    del work
    yield from ()
