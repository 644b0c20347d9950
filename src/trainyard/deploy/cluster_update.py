"""What a spec changes of a cluster that exists, beside its stacks, and what it takes to change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from trainyard.deploy.drift import DriftDifference
from trainyard.deploy.stack_change import StackChange

ClusterNeed = Literal["live", "drain", "terminate", "stop", "refused"]
"""What an update needs: nothing; nodes that are replaced once their jobs are over; nodes that end with their jobs; the
compute fleet stopped, with all jobs. What is refused nobody can change of a cluster that exists."""

MEANINGS: dict[ClusterNeed, str] = {
    "live": "at once",
    "drain": "at once for new jobs; nodes are replaced once their jobs are over",
    "terminate": "nodes of the queue end, with their jobs",
    "stop": "the compute fleet is stopped for it, and started again",
    "refused": "refused",
}
_MOST_JOBS = 5
LOGINS = "login nodes are stopped for it, with what people run on them, and started again"
_MOST_SHOWN = 100
"""How many characters of a value are shown."""


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """One change of the configuration of a cluster."""

    parameter: str
    """Where in the cluster's own configuration."""
    path: str
    """Where in the spec; the nearest place that is known."""
    current: Any
    """None where it is new."""
    requested: Any
    """None where it goes."""
    need: ClusterNeed
    reason: str
    """What the cluster's own program says against it as the cluster is now; empty where nothing."""
    stops_logins: bool = False
    """Whether login nodes are stopped for it."""

    @property
    def kind(self) -> Literal["add", "change", "remove"]:
        """Return what becomes of it."""
        if self.current is None:
            return "add"
        return "remove" if self.requested is None else "change"

    def __str__(self) -> str:
        """Say it on one line."""
        values = {
            "add": f"new: {_shown(self.requested)}",
            "remove": f"goes: {_shown(self.current)}",
            "change": f"{_shown(self.current)} -> {_shown(self.requested)}",
        }
        return f"{self.path} ({self.parameter}): {values[self.kind]}; {_meaning(self.need, logins=self.stops_logins)}"

    def as_json(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            "parameter": self.parameter,
            "path": self.path,
            "current": self.current,
            "requested": self.requested,
            "kind": self.kind,
            "needs": self.need,
            "stops_login_nodes": self.stops_logins,
            "reason": self.reason or None,
        }


@dataclass(frozen=True, slots=True)
class RunningJobs:
    """The jobs that something ends or waits for: an update of a cluster, or its destruction."""

    jobs: tuple[str, ...] = ()
    """Each in words, which users have not chosen but for quotations."""
    unknown: str = ""
    """Why nobody can say it; empty where the jobs are known."""
    unlisted: int = 0
    """How many more there are."""

    def __bool__(self) -> bool:
        """Return whether there are any, or may be."""
        return bool(self.jobs or self.unknown)

    def __str__(self) -> str:
        """Name the first of them."""
        if not self.jobs:
            return f"nobody can say which: {self.unknown}"
        more = len(self.jobs) - _MOST_JOBS + self.unlisted if len(self.jobs) > _MOST_JOBS else self.unlisted
        return "; ".join(self.jobs[:_MOST_JOBS]) + (f"; and {more:,} more" if more else "")


@dataclass(frozen=True, slots=True)
class ClusterUpdate:
    """All that a spec changes of a cluster that exists."""

    changes: tuple[ClusterChange, ...]
    need: ClusterNeed
    """What all of it together needs."""
    queues: tuple[str, ...] = ()
    """The queues whose nodes are replaced or end; all of them where the fleet is stopped."""
    running: RunningJobs = RunningJobs()
    """Jobs on the nodes that are replaced or end."""
    losses: tuple[StackChange, ...] = ()
    """File systems with data that it would take out of the cluster."""
    overwrites: tuple[DriftDifference, ...] = ()
    """What somebody else has changed of the cluster since its last deployment, and the update would take back."""
    stops_logins: bool = False
    """Whether login nodes are stopped for it."""

    @property
    def ends_jobs(self) -> bool:
        """Return whether jobs that run there are ended."""
        return self.need in ("terminate", "stop")

    def lines(self) -> Iterator[str]:
        """Yield what it says."""
        kinds = Counter(change.kind for change in self.changes)
        yield f"cluster: {kinds['add']} to add, {kinds['change']} to change, {kinds['remove']} to remove"
        yield from map(str, self.changes)
        if self.queues and self.need != "refused":
            yield f"nodes of {', '.join(self.queues)}: {MEANINGS[self.need]}"
        if self.stops_logins:
            yield LOGINS
        yield from map(str, self.losses)
        yield from (f"changed by somebody else, and taken back: {difference}" for difference in self.overwrites)
        what = "jobs that would be ended" if self.ends_jobs else "jobs whose nodes are replaced once they are over"
        if self.running.jobs:
            yield f"{what}: {'; '.join(self.running.jobs)}"
        if self.running.unknown:
            yield f"{what}: unknown; {self.running.unknown}"

    def as_json(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            "needs": self.need,
            "stops_login_nodes": self.stops_logins,
            "queues": list(self.queues),
            "running_jobs": None if self.running.unknown else list(self.running.jobs),
            "running_jobs_unknown": self.running.unknown or None,
            "losses": [loss.as_json() for loss in self.losses],
            "overwrites": [difference.as_json() for difference in self.overwrites],
            "changes": [change.as_json() for change in self.changes],
        }


def _meaning(need: ClusterNeed, *, logins: bool) -> str:
    if need == "live" and logins:
        return LOGINS
    return f"{MEANINGS[need]}; {LOGINS}" if logins else MEANINGS[need]


def _shown(value: Any) -> str:
    for key in ("Name", "name"):
        if isinstance(value, dict) and key in value:
            return str(value[key])
    text = str(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
