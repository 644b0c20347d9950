"""A rehearsal on AWS Batch: a job of each definition is submitted, and the archive has what Batch says of jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trainyard.deploy.step import DeploymentStep
from trainyard.deploy.work import Work
from trainyard.platforms.batch.diagnosis.evidence import batch_files
from trainyard.platforms.batch.rehearsal.jobs import JobsOfDefinitions
from trainyard.rehearsal.programs import no_programs, same_account
from trainyard.rehearsal.report.conditions import Condition, has_capacity, has_efa, has_official_image

CONDITIONS: Mapping[str, Condition] = {
    "batch": lambda _: True,
    "batch_capacity_block": has_capacity("capacity_block"),
    "batch_efa": has_efa,
    "batch_image": has_official_image,
}
STRIKES = frozenset({"resource", "launch"})

programs = no_programs
with_programs = same_account


def jobs() -> DeploymentStep | None:
    """Return the step that submits jobs."""
    return JobsOfDefinitions()


def archive_files(work: Work) -> Iterator[tuple[str, str]]:
    """Yield what AWS says of a cluster of AWS Batch and the jobs in it, as `trainyard diagnose NAME` reads it."""
    for file in batch_files(work.account, work.name, []):
        yield f"{file.name}.log", b"".join(file.blocks).decode(errors="replace")
