"""The log groups of a ParallelCluster, and which of its streams are of which node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from trainyard.counts import count_text
from trainyard.edge.aws import cluster_logs as cloudwatch
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import GroupNames, LogGroup
from trainyard.edge.aws.parallelcluster import instance_of_slurm_node
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.errors import InputError
from trainyard.operate.logs.cluster_log import ClusterLog, ListedGroup, Stream
from trainyard.operate.logs.export import Export, ExportPart
from trainyard.operate.logs.log_filter import LogSelection

STREAMS_ARE_OF_JOBS = False
PODS = None

# https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html
GROUP_NAMES = (GroupNames("/aws/parallelcluster/{cluster}-", r"\d{12}"),)
_FORM = re.compile(r"(.+?)\.(i-[0-9a-f]{8,17})\.(.+)", re.DOTALL)


def groups(account: Account, cluster: str) -> tuple[LogGroup, ...]:
    """Return the log groups of clusters of this name, the newest first."""
    return cloudwatch.groups(account, cluster, GROUP_NAMES)


def groups_of_stack(account: Account, cluster: str) -> tuple[LogGroup, ...]:  # noqa: ARG001  part of the protocol
    """Return no more: ParallelCluster names every group itself."""
    return ()


def main_group(groups: Sequence[LogGroup]) -> LogGroup:
    """Return the newest group: others are of former clusters."""
    return groups[0]


def list_streams(account: Account, cluster: str, group: LogGroup) -> ListedGroup:
    """Return the streams of a group."""
    listing = cloudwatch.streams(account, group.name)
    streams = tuple(
        Stream(stream.name, parsed(stream.name), stream.first_ms, stream.last_ms) for stream in listing.streams
    )
    return ListedGroup(streams, listing.whole, cluster)


def parsed_stream(name: str) -> StreamName | None:
    """Return the parts of a stream's name; None where it is of another platform."""
    return parsed(name)


def summary(log: ClusterLog, streams: Sequence[Stream]) -> str:  # noqa: ARG001  part of the protocol
    """Return of how many nodes some streams are."""
    nodes = {stream.parts.instance_id for stream in streams if isinstance(stream.parts, StreamName)}
    return count_text(len(nodes), "node")


def export_part(export: Export, kubectl_of: KubectlOf) -> ExportPart | None:  # noqa: ARG001  part of the protocol
    """Return nothing: all logs are in CloudWatch."""
    return None


def streams_of(account: Account, log: ClusterLog, selection: LogSelection) -> tuple[Stream, ...]:
    """Return the streams of some nodes. Raises InputError where one has none, and for jobs."""
    if selection.jobs:
        hint = "it is a cluster of ParallelCluster, whose nodes are named with --node"
        raise InputError(f"{log.name} has no logs of jobs", where="--job", hint=hint)
    if not selection.nodes:
        return log.streams
    ids = {id_ for node in selection.nodes for id_ in _instances(account, log, node)}
    return tuple(
        stream for stream in log.streams if isinstance(stream.parts, StreamName) and stream.parts.instance_id in ids
    )


def _instances(account: Account, log: ClusterLog, node: str) -> set[str]:
    """Return the instances that are, or were, a node."""
    if ids := _named(log, node):
        return ids
    instance = instance_of_slurm_node(account, log.name, node)
    if instance is not None and (ids := _named(log, instance)):
        return ids
    hint = f"`trainyard logs {log.name} --region {log.region}` lists them; Slurm's names are known of nodes that run"
    raise InputError(f"{log.name} has no logs of a node {node!r}", where="--node", hint=hint)


def _named(log: ClusterLog, node: str) -> set[str]:
    of_nodes = (stream.parts for stream in log.streams if isinstance(stream.parts, StreamName))
    return {parts.instance_id for parts in of_nodes if parts.is_of(node)}


class StreamName(NamedTuple):
    """Whose log it is, and which."""

    host: str
    """The short private DNS name of the instance."""
    instance_id: str
    kind: str
    """Which log: slurmctld, cloud-init-output and so on."""

    @property
    def label(self) -> str:
        """Return whose log it is and which, in few words."""
        return f"{self.host} {self.kind}"

    def values(self) -> dict[str, str | int | None]:
        """Return them as values for JSON."""
        return {"host": self.host, "instance_id": self.instance_id, "log": self.kind}

    def is_of(self, node: str) -> bool:
        """Return whether it is a log of a node, given by its instance id or its host name, also the long form of it."""
        return node in (self.instance_id, self.host) or node.partition(".")[0] == self.host


def parsed(name: str) -> StreamName | None:
    """Return the parts of a name; None where the stream is of something else."""
    match = _FORM.fullmatch(name)
    return StreamName(*match.groups()) if match else None
