"""What a results folder remembers of its jobs, so that the command can be repeated and goes on."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from trainyard.edge.cache_folder import folder_lock
from trainyard.edge.new_file import write_new_file
from trainyard.edge.text_file import read_small_file
from trainyard.errors import InputError, TrainyardError

FILE = "submission.json"
_LOCK = ".submission.lock"
_MOST_BYTES = 2**22
_SCHEMA = 1
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_NUMBER = re.compile(r"[0-9]+|[0-9a-f-]{36}|[0-9a-f]{8}")  # of Slurm, of AWS Batch, or of a run on Amazon EKS


@dataclass(slots=True)
class SubmittedJob:
    """A job that was submitted."""

    number: str
    """Slurm's, the id that AWS Batch gave, or the one that tells runs on Amazon EKS apart."""
    state: str = "PENDING"
    reason: str = ""
    ended: bool = False
    file: str | None = None
    """Its output in the results folder, once that was fetched."""
    told: bool = False
    """Whether somebody has been told how it ended: only then is it submitted again."""


@dataclass(slots=True)
class SubmissionRecord:
    """The jobs of a results folder."""

    cluster: str
    where: str
    """On which machine Slurm is, or that it is AWS Batch or Amazon EKS."""
    folder: str
    """Where the jobs run there."""
    token: str = field(default_factory=lambda: secrets.token_hex(6))
    """What Slurm, AWS Batch and Kubernetes know the jobs of this folder by."""
    jobs: dict[str, SubmittedJob] = field(default_factory=dict)

    def write(self, results: Path) -> None:
        """Write it down, whole or not at all."""
        content = json.dumps({"schema": _SCHEMA, **asdict(self)}, indent=2) + "\n"
        write_new_file(results / FILE, content, force=True)


def read_submission_record(results: Path) -> SubmissionRecord | None:
    """Return what a folder remembers, None where it remembers nothing. Raises InputError where it is damaged."""
    content = read_small_file(results / FILE, _MOST_BYTES)
    if content is None:
        return None
    try:
        return _record(json.loads(content))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "name another folder with --results; jobs that run can be seen with squeue, in AWS Batch or by kubectl"
        problem = f"what is remembered of the jobs cannot be read: {error!r}"
        raise InputError(problem, where=str(results / FILE), hint=hint) from error


@contextmanager
def submission_lock(results: Path) -> Iterator[None]:
    """Keep other calls away from the folder. Raises TrainyardError where there is one, or it cannot be made."""

    def taken() -> None:
        hint = "wait for it, or name another folder with --results"
        raise TrainyardError("another call works with this folder", where=str(results), hint=hint)

    try:
        results.mkdir(parents=True, exist_ok=True)
        with folder_lock(results / _LOCK, taken):
            yield
    except OSError as error:
        hint = "name a folder that you may write to, on a disk with room, with --results"
        raise TrainyardError(f"{results}: {error.strerror or error}", where=str(results), hint=hint) from error


def _record(written: dict[str, object]) -> SubmissionRecord:
    if written.pop("schema") != _SCHEMA:
        raise ValueError("it is of another version of trainyard")
    jobs = written.pop("jobs")
    if not isinstance(jobs, dict) or not all(isinstance(value, str) for value in written.values()):
        raise TypeError("jobs and words are expected")
    submission_record = SubmissionRecord(**written)  # type: ignore[arg-type]  # words, as was looked at above
    submission_record.jobs = {id_: SubmittedJob(**job) for id_, job in jobs.items()}
    for id_, job in submission_record.jobs.items():
        if not (_NAME.fullmatch(id_) and _NUMBER.fullmatch(job.number) and (job.file is None or "/" not in job.file)):
            raise ValueError(f"{id_} is no job")
    if not _NAME.fullmatch(submission_record.token):
        raise ValueError("the token is none")
    return submission_record
