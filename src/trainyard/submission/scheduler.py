"""What runs the jobs of a submission (Slurm, AWS Batch, the MPI operator), and how jobs are in Slurm's words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from trainyard.submission.job import PlannedJob

GONE = "GONE"
"""The scheduler has forgotten the job, and keeps no accounts."""
# https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
_UNDER_WAY = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "REQUEUED", "REQUEUE_HOLD",
              "RESIZING", "SIGNALING", "STAGE_OUT", "RESV_DEL_HOLD", "SPECIAL_EXIT", "REQUEUE_FED"}  # fmt: skip


class Scheduler(Protocol):
    """Slurm by on_slurm.py; others by bench_jobs.py of their platform."""

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

    @property
    def lines_up(self) -> bool:
        """Return whether a job can be told to wait for another one."""

    def folder(self, token: str) -> str:
        """Return where the jobs of a new submission run there."""

    def refuse_unfit(self, jobs: Sequence[PlannedJob]) -> None:
        """Raise TrainyardError where the cluster, as it is now, cannot run the jobs, as far as that is known before."""

    def begun(self, folder: str) -> bool:
        """Return whether a submission may have got as far as its first job."""

    def submitted_before(self, folder: str, token: str) -> dict[str, str]:
        """Return the numbers of jobs that there are of a submission, by job: the last of each."""

    def is_newer(self, number: str, than: str) -> bool:
        """Return whether a job was submitted after another one, of those that were listed last."""

    def submit(self, folder: str, job: PlannedJob, token: str, after: str | None) -> str:
        """Submit a job and return its number. It waits for the job ``after``."""

    def states(self, numbers: Sequence[str]) -> dict[str, JobState]:
        """Return how jobs are."""

    def gather(self, id_: str, number: str, to: Path) -> None:
        """Keep what a job has written so far, where the scheduler itself does not until its end.

        ``to`` is the file that ``fetch`` writes at the end. Raises UnreachableError where that may work the next time.
        """

    def cancel(self, numbers: Sequence[str]) -> None:
        """Take jobs back. Those that have ended already stay as they are."""

    def fetch(self, folder: str, id_: str, number: str, to: Path) -> bool:
        """Fetch what a job wrote, whole or not at all; return False where there is nothing."""

    def let_go(self, number: str, state: str, to: Path) -> None:
        """Clear away what nobody needs of a job that has ended and was fetched."""


class JobState(NamedTuple):
    """How a job is."""

    state: str
    """Slurm's word, such as RUNNING."""
    reason: str = ""
    """Why it waits or has ended, in the scheduler's word; empty where it says none."""
    nodes: str = ""

    @property
    def ended(self) -> bool:
        """Return whether nothing more comes of it."""
        return self.state not in _UNDER_WAY
