"""The logs of a cluster: its newest log group with all streams in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import LogGroup
from trainyard.errors import InputError, TrainyardError
from trainyard.platform_parts import PlatformLogs
from trainyard.platform_table import PLATFORMS


class StreamSource(Protocol):
    """Whose log a stream is, and which, as far as its name says."""

    @property
    def kind(self) -> str:
        """Which log it is: what `--log` takes."""

    @property
    def host(self) -> str:
        """The host, or the job with its node, or the pod."""

    @property
    def label(self) -> str:
        """Both, in few words."""

    def values(self) -> dict[str, str | int | None]:
        """Return them as values for JSON."""


class Stream(NamedTuple):
    """A stream with the parts of its name."""

    name: str
    parts: StreamSource | None
    """None for a stream whose name does not say whose it is."""
    first_ms: int | None
    last_ms: int | None

    @property
    def kind(self) -> str:
        """Which log it is."""
        return self.parts.kind if self.parts is not None else self.name

    @property
    def node(self) -> str:
        """The host, or the job with its node; the name of the stream where it is of none."""
        return self.parts.host if self.parts is not None else self.name


class ListedGroup(NamedTuple):
    """What is in a log group of a cluster."""

    streams: tuple[Stream, ...]
    whole: bool
    """False where there are more streams than were listed."""
    stack: str
    """The stack of the cluster."""
    shared: bool = False
    """Whether others log into the group too, so that it is never read as a whole."""


@dataclass(frozen=True, slots=True)
class ClusterLog:
    """The logs of a cluster."""

    name: str
    region: str
    group: LogGroup
    former: tuple[LogGroup, ...]
    """Groups of clusters of the same name that were there before, the newest first; of EKS its other groups too."""
    streams: tuple[Stream, ...]
    whole: bool
    """False where there are more streams than were listed."""
    stack: str
    """The stack of the cluster."""
    platform: PlatformLogs
    """What its platform knows of its logs."""
    shared: bool
    """Whether others log into the group too, so that it is never read as a whole."""

    @property
    def is_of_jobs(self) -> bool:
        """Return whether streams are of jobs, not of nodes that stay."""
        return self.platform.STREAMS_ARE_OF_JOBS

    @property
    def leaves_pods_out(self) -> bool:
        """Return whether what jobs print lies elsewhere: in logs of pods, which kubectl reads."""
        return self.platform.PODS is not None


def cluster_log(account: Account, name: str, group: str | None = None) -> ClusterLog:
    """Return the logs of a cluster, also of one that is gone; of a former one where its log group is named.

    Raises TrainyardError where the cluster has none, InputError where it has no such group.
    """
    groups = _groups(account, name)
    if not groups:
        raise TrainyardError(
            f"there is no log group /aws/parallelcluster/{name}-… in {account.region}, "
            "and none of a Batch cluster or EKS",
            where=name,
            hint="check the name, --region and --profile; a cluster whose Monitoring switches logs off has none",
        )
    newest_first = [log_group for log_group, _ in groups]
    main = groups[0][1].main_group(newest_first) if group is None else _named(group, newest_first)
    if main is None:
        names = ", ".join(log_group.name for log_group in newest_first)
        raise InputError(f"{name} has no log group {group}", where="--group", hint=f"it has {names}")
    logs = next(logs for log_group, logs in groups if log_group == main)
    former = tuple(other for other in newest_first if other != main)
    listed = logs.list_streams(account, name, main)
    return ClusterLog(
        name, account.region, main, former, listed.streams, listed.whole, listed.stack, logs, listed.shared
    )


def _groups(account: Account, name: str) -> list[tuple[LogGroup, PlatformLogs]]:
    """Return the log groups of clusters of all platforms that have, or had, this name; the newest first."""
    platforms = [platform.logs() for platform in PLATFORMS.values() if platform.logs is not None]
    groups = [(group, logs) for logs in platforms for group in logs.groups(account, name)]
    newest = sorted(groups, key=lambda of: (of[0].made_ms, of[0].name), reverse=True)
    return newest or [(group, logs) for logs in platforms for group in logs.groups_of_stack(account, name)]


def _named(name: str, groups: Sequence[LogGroup]) -> LogGroup | None:
    return next((group for group in groups if group.name == name), None)
