"""The logs of a cluster: its newest log group with all streams in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainyard.edge.aws.cluster_logs import groups, streams
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.stream_name import StreamName, parsed

if TYPE_CHECKING:
    from trainyard.edge.aws.account import Account
    from trainyard.edge.aws.cluster_logs import LogGroup


class Stream(NamedTuple):
    """A stream with the parts of its name."""

    name: str
    parts: StreamName | None
    """None for a stream that is not of ParallelCluster's agent."""
    first_ms: int | None
    last_ms: int | None

    @property
    def kind(self) -> str:
        """Which log it is."""
        return self.parts.kind if self.parts is not None else self.name

    @property
    def node(self) -> str:
        """The host; the name of the stream where it is of none."""
        return self.parts.host if self.parts is not None else self.name


@dataclass(frozen=True, slots=True)
class ClusterLog:
    """The logs of a cluster."""

    name: str
    region: str
    group: LogGroup
    former: tuple[LogGroup, ...]
    """Groups of clusters of the same name that were there before, the newest first."""
    streams: tuple[Stream, ...]
    whole: bool = True
    """False where there are more streams than were listed."""


def cluster_log(account: Account, name: str, group: str | None = None) -> ClusterLog:
    """Return the logs of a cluster, also of one that is gone; of a former one where its log group is named.

    Raises TrainyardError where the cluster has none, InputError where it has no such group.
    """
    found = groups(account, name)
    if not found:
        raise TrainyardError(
            f"there is no log group /aws/parallelcluster/{name}-… in {account.region}",
            where=name,
            hint="check the name, --region and --profile; a cluster whose Monitoring switches logs off has none",
        )
    used = found[0] if group is None else next((one for one in found if one.name == group), None)
    if used is None:
        known = ", ".join(one.name for one in found)
        raise InputError(f"{name} has no log group {group}", where="--group", hint=f"it has {known}")
    listed = streams(account, used.name)
    of_it = tuple(Stream(one.name, parsed(one.name), one.first_ms, one.last_ms) for one in listed.streams)
    return ClusterLog(name, account.region, used, tuple(one for one in found if one != used), of_it, listed.whole)
