"""The logs of a cluster: its newest log group with all streams in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import LogGroup, groups, streams
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.job_stream import JobStreamName
from trainyard.operate.logs.stream_name import StreamName, parsed
from trainyard.platforms.batch.logs import batch_groups, batch_log, batch_stack
from trainyard.platforms.eks.logs.stream_name import CONTROL_PLANE, INSIGHTS, EksStreamName, PodStreamName, parsed_eks

_PARALLELCLUSTER = "/aws/parallelcluster/"
_EKS = (CONTROL_PLANE, INSIGHTS)


class Stream(NamedTuple):
    """A stream with the parts of its name."""

    name: str
    parts: StreamName | JobStreamName | EksStreamName | PodStreamName | None
    """None for a stream of which nobody knows whose it is."""
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


@dataclass(frozen=True, slots=True)
class ClusterLog:
    """The logs of a cluster."""

    name: str
    region: str
    group: LogGroup
    former: tuple[LogGroup, ...]
    """Groups of clusters of the same name that were there before, the newest first; of EKS its other groups too."""
    streams: tuple[Stream, ...]
    whole: bool = True
    """False where there are more streams than were listed."""
    stack: str = ""
    """The stack of the cluster."""
    shared: bool = False
    """Whether others log into the group too, so that it is never read as a whole."""

    @property
    def is_of_jobs(self) -> bool:
        """Return whether they are what jobs of AWS Batch print."""
        return not self.group.name.startswith((_PARALLELCLUSTER, *_EKS))

    @property
    def is_of_eks(self) -> bool:
        """Return whether they are those of a cluster of EKS."""
        return self.group.name.startswith(_EKS)


def cluster_log(account: Account, name: str, group: str | None = None) -> ClusterLog:
    """Return the logs of a cluster, also of one that is gone; of a former one where its log group is named.

    Raises TrainyardError where the cluster has none, InputError where it has no such group.
    """
    found = _groups(account, name)
    if not found:
        raise TrainyardError(
            f"there is no log group {_PARALLELCLUSTER}{name}-… in {account.region}, and none of a Batch cluster or EKS",
            where=name,
            hint="check the name, --region and --profile; a cluster whose Monitoring switches logs off has none",
        )
    used = found[0] if group is None else next((one for one in found if one.name == group), None)
    if used is None:
        known = ", ".join(one.name for one in found)
        raise InputError(f"{name} has no log group {group}", where="--group", hint=f"it has {known}")
    former = tuple(one for one in found if one != used)
    if used.name.startswith(_EKS):
        return _of_eks(account, name, used, former)
    return (_of_nodes if used.name.startswith(_PARALLELCLUSTER) else _of_jobs)(account, name, used, former)


def _groups(account: Account, name: str) -> tuple[LogGroup, ...]:
    """Return the log groups of a cluster, the newest first: of clusters of both platforms that had this name."""
    found = [one for platform in ("parallelcluster", "batch", "eks") for one in groups(account, name, platform)]
    if not found:
        resources = batch_stack(account, name)
        return () if resources is None else batch_groups(account, resources)
    newest = sorted(found, key=lambda one: (one.made_ms, one.name), reverse=True)
    if newest[0].name.startswith(_EKS):  # of its groups, the control plane's is its own
        newest.sort(key=lambda one: not one.name.startswith(CONTROL_PLANE))
    return tuple(newest)


def _of_nodes(account: Account, name: str, group: LogGroup, former: tuple[LogGroup, ...]) -> ClusterLog:
    listed = streams(account, group.name)
    of_it = tuple(Stream(one.name, parsed(one.name), one.first_ms, one.last_ms) for one in listed.streams)
    return ClusterLog(name, account.region, group, former, of_it, listed.whole, name)


def _of_eks(account: Account, name: str, group: LogGroup, former: tuple[LogGroup, ...]) -> ClusterLog:
    listed = streams(account, group.name)
    of_it = tuple(Stream(one.name, parsed_eks(one.name), one.first_ms, one.last_ms) for one in listed.streams)
    return ClusterLog(name, account.region, group, former, of_it, listed.whole, f"eksctl-{name}-cluster")


def _of_jobs(account: Account, name: str, group: LogGroup, former: tuple[LogGroup, ...]) -> ClusterLog:
    log = batch_log(account, name, group)
    of_it = tuple(Stream(one.stream.name, one.parts, one.stream.first_ms, one.stream.last_ms) for one in log.streams)
    return ClusterLog(name, account.region, group, former, of_it, log.whole, log.stack, log.shared)
