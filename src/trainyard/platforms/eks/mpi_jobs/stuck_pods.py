"""How long pods of a test may be held up by the same thing before a person has to do something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from trainyard.errors import TrainyardError
from trainyard.platforms.eks.mpi_jobs.mpi_job_state import MpiJobStatus
from trainyard.submission.job_progress import JobClock

HeldUp = Literal["no pods", "image", "container", "unschedulable", "starting"]

# The worst first. Nodes pull images of 10 GB in minutes, and the kubelet tries again after up to five of them.
# https://kubernetes.io/docs/concepts/containers/images/#imagepullbackoff
_WITHIN_S: Mapping[HeldUp, float] = {
    "image": 420.0, "container": 300.0, "unschedulable": 600.0, "starting": 1800.0, "no pods": 300.0,
}  # fmt: skip
_AFTERWARDS = "then repeat the command, which goes on with the job, or take it back with --cancel"
_HINTS: Mapping[HeldUp, str] = {
    "image": "see that the image exists and that the role of the nodes may pull it, and put right eks.nccl_image of "
    "the spec; take the job back with --cancel before you submit it with another image",
    "container": f"`kubectl describe pods -l {{label}}` says more; {_AFTERWARDS}",
    "starting": f"`kubectl describe pods -l {{label}}` says what it waits for; {_AFTERWARDS}",
    "no pods": "`kubectl -n mpi-operator get pods` shows whether the MPI operator runs, and `kubectl describe mpijob "
    f"{{name}}` what it makes of the job; {_AFTERWARDS}",
    "unschedulable": f"`kubectl describe pods -l {{label}}` says more; {_AFTERWARDS}",
}


@dataclass
class StuckPods:
    """Knows since when jobs are held up."""

    clock: JobClock
    _since: dict[str, tuple[HeldUp, float]] = field(default_factory=dict)

    def held_up(self, number: str, look: MpiJobStatus) -> HeldUp | None:
        """Return what holds a job up for longer than it may; None where nothing does, or not for long."""
        held = _held_up(look)
        if held is None:
            self._since.pop(number, None)
            return None
        before, since_s = self._since.get(number, (held, self.clock.now()))
        if before != held:
            since_s = self.clock.now()
        self._since[number] = held, since_s
        return held if self.clock.now() - since_s >= _WITHIN_S[held] else None


def stuck(held: HeldUp, name: str, label: str, reason: str) -> TrainyardError:
    """Return the error of a job that does not start."""
    problem = f"{name} has not started for {_WITHIN_S[held] / 60:.0f} min: {reason}"
    return TrainyardError(problem, where=name, hint=_HINTS[held].format(label=label, name=name))


def _held_up(look: MpiJobStatus) -> HeldUp | None:
    if look.state.ended or look.state.state not in ("PENDING", "CONFIGURING"):
        return None
    if not look.has_pods:
        return "no pods"
    kinds = {trouble.kind for trouble in look.troubles.values()}
    causes: list[HeldUp] = [kind for kind in _WITHIN_S if kind in kinds]
    return causes[0] if causes else None
