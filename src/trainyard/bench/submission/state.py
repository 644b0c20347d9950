"""How a job is, in Slurm's words, whoever runs it."""

from __future__ import annotations

from typing import NamedTuple

GONE = "GONE"
"""The scheduler has forgotten the job, and keeps no accounts."""
# https://slurm.schedmd.com/squeue.html#SECTION_JOB-STATE-CODES
_UNDER_WAY = {"PENDING", "CONFIGURING", "RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "REQUEUED", "REQUEUE_HOLD",
              "RESIZING", "SIGNALING", "STAGE_OUT", "RESV_DEL_HOLD", "SPECIAL_EXIT", "REQUEUE_FED"}  # fmt: skip


class State(NamedTuple):
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
