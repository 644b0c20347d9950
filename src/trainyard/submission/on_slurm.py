"""Slurm on a head node as what runs the jobs of a submission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trainyard.submission import head_node, slurm
from trainyard.submission.head_node import HeadNodeConnection
from trainyard.submission.job import PlannedJob
from trainyard.submission.scheduler import JobState

_NEAR_S, _FAR_S = 1.0, 15.0


@dataclass
class OnSlurm:
    """Slurm, by the commands that a head node runs."""

    head: HeadNodeConnection
    place: str = "trainyard-bench"
    """A folder of the home there."""
    one_by_one: bool = False
    lines_up: bool = True
    _written: dict[tuple[str, str], str] = field(default_factory=dict)
    """Text by folder and name: jobs share most of their files."""

    @property
    def words(self) -> str:
        """Return on which machine it is."""
        return self.head.words

    @property
    def every_s(self) -> float:
        """Return how often it may be asked."""
        return _NEAR_S if self.head.is_here else _FAR_S

    def folder(self, token: str) -> str:
        """Return a folder of the home there, which all nodes share."""
        return f"{head_node.home(self.head)}/{self.place}/{token}"

    def configuration(self) -> str:
        """Return what Slurm says of its configuration there; nothing where it says nothing."""
        answer = self.head.run(("scontrol", "show", "config"))
        return "" if answer.status else answer.text

    def refuse_unfit(self, jobs: Sequence[PlannedJob]) -> None:
        """Refuse nothing: jobs wait until there are nodes."""

    def begun(self, folder: str) -> bool:
        """Return whether the folder is there."""
        return not self.head.run(("test", "-d", folder)).status

    def submitted_before(self, folder: str, token: str) -> dict[str, str]:
        """Return the numbers of jobs that Slurm has of a submission, by job."""
        return slurm.submitted_before(self.head, folder, token)

    def is_newer(self, number: str, than: str) -> bool:
        """Return whether Slurm has given a number later."""
        return int(number) > int(than)

    def submit(self, folder: str, job: PlannedJob, token: str, after: str | None) -> str:
        """Write the files of a job that are not there yet, submit it and return its number."""
        new = {name: text for name, text in job.files.items() if self._written.get((folder, name)) != text}
        if new:
            head_node.write_files(self.head, folder, new)
        self._written |= {(folder, name): text for name, text in new.items()}
        return slurm.submit(self.head, folder, job, token, after)

    def states(self, numbers: Sequence[str]) -> dict[str, JobState]:
        """Return how jobs are."""
        return slurm.states(self.head, numbers)

    def gather(self, id_: str, number: str, to: Path) -> None:
        """Leave the output where it is, which it stays."""

    def cancel(self, numbers: Sequence[str]) -> None:
        """Take jobs back."""
        slurm.cancel(self.head, numbers)

    def fetch(self, folder: str, id_: str, number: str, to: Path) -> bool:
        """Fetch the file that a job's output went to."""
        return head_node.fetch(self.head, f"{folder}/{id_}_{number}.out", to)

    def let_go(self, number: str, state: str, to: Path) -> None:
        """Leave everything: Slurm forgets jobs by itself."""
