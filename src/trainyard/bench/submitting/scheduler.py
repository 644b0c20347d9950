"""What runs the jobs of a submission: Slurm on a head node, or AWS Batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trainyard.bench.submitting.job import Job
    from trainyard.bench.submitting.state import State


class Scheduler(Protocol):
    """on_slurm.py and on_batch.py."""

    @property
    def words(self) -> str:
        """Return which one it is, for people."""

    @property
    def every_s(self) -> float:
        """Return how often it may be asked."""

    @property
    def one_by_one(self) -> bool:
        """Return whether a job is submitted only once the one before it has ended.

        Otherwise all are, each with the word that it waits for the one before, however that ends.
        """

    def folder(self, token: str) -> str:
        """Return where the jobs of a new submission run there."""

    def begun(self, folder: str) -> bool:
        """Return whether a submission may have got as far as its first job."""

    def submitted_before(self, folder: str, token: str) -> dict[str, str]:
        """Return the numbers of jobs that there are of a submission, by job: the last of each."""

    def is_newer(self, number: str, than: str) -> bool:
        """Return whether a job was submitted after another one, of those that were listed last."""

    def submit(self, folder: str, job: Job, token: str, after: str | None) -> str:
        """Submit a job and return its number. It waits for the job ``after``."""

    def states(self, numbers: Sequence[str]) -> dict[str, State]:
        """Return how jobs are."""

    def cancel(self, numbers: Sequence[str]) -> None:
        """Take jobs back. Those that have ended already stay as they are."""

    def fetch(self, folder: str, id_: str, number: str, to: Path) -> bool:
        """Fetch what a job wrote, whole or not at all; return False where there is nothing."""
