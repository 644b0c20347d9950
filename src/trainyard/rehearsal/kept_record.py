"""The record of a kept rehearsal: which process it is, and where it answers.

A process writes its own record, so that one is never without. A record outlives a process that was killed; id, place
and beginning of the process tell whether it is still that one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from trainyard.edge.processes import beginning, place

_FILE = "process.json"


class KeptRecord(NamedTuple):
    """A process that is an emulated account."""

    process: int
    place: str
    """Where its id means this process: see edge/processes.py."""
    began: str
    """When it began, in a form that is only compared."""
    port: int

    @classmethod
    def of_this_process(cls, port: int) -> KeptRecord:
        """Return the record of the process that calls."""
        return cls(os.getpid(), place(), beginning(os.getpid()) or "", port)

    @property
    def is_running(self) -> bool:
        """Whether the process is still there, and not another one of the same id."""
        return self.place == place() and beginning(self.process) == self.began


def write_record(folder: Path, record: KeptRecord) -> None:
    """Write a record whole, readable for this user alone. Raises OSError where that cannot be done."""
    file = folder / f"{_FILE}.new"
    file.touch(mode=0o600)
    file.write_text(json.dumps(record._asdict()), encoding="utf-8")
    file.replace(folder / _FILE)


def read_record(folder: Path) -> KeptRecord | None:
    """Return the record in a folder; None where there is none that can be read."""
    try:
        values = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return KeptRecord(int(values["process"]), str(values["place"]), str(values["began"]), int(values["port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
