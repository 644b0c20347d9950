"""The log groups of an EKS cluster: that of its control plane, and those of Container Insights, where it has them."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard.counts import count_text
from trainyard.edge.aws import cluster_logs as cloudwatch
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import GroupNames, LogGroup
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.errors import InputError
from trainyard.operate.logs.cluster_log import ClusterLog, ListedGroup, Stream
from trainyard.operate.logs.export import Export
from trainyard.operate.logs.log_filter import LogSelection
from trainyard.platforms.eks.logs import pod_search
from trainyard.platforms.eks.logs.export import KubernetesPart
from trainyard.platforms.eks.logs.stream_name import CONTROL_PLANE, EksStreamName, parsed_eks

STREAMS_ARE_OF_JOBS = False
PODS = pod_search

# https://docs.aws.amazon.com/eks/latest/userguide/control-plane-logs.html
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-reference-performance-entries-EKS.html
GROUP_NAMES = (
    GroupNames("/aws/eks/{cluster}/", "cluster"),
    GroupNames("/aws/containerinsights/{cluster}/", "application|dataplane|host|performance"),
)


def groups(account: Account, cluster: str) -> tuple[LogGroup, ...]:
    """Return the log groups of a cluster of this name, the newest first."""
    return cloudwatch.groups(account, cluster, GROUP_NAMES)


def groups_of_stack(account: Account, cluster: str) -> tuple[LogGroup, ...]:  # noqa: ARG001  part of the protocol
    """Return no more: AWS names every group itself."""
    return ()


def main_group(groups: Sequence[LogGroup]) -> LogGroup:
    """Return the group of the control plane, where there is one."""
    return next((group for group in groups if group.name.startswith(CONTROL_PLANE)), groups[0])


def list_streams(account: Account, cluster: str, group: LogGroup) -> ListedGroup:
    """Return the streams of a group."""
    listing = cloudwatch.streams(account, group.name)
    streams = tuple(
        Stream(stream.name, parsed_eks(stream.name), stream.first_ms, stream.last_ms) for stream in listing.streams
    )
    return ListedGroup(streams, listing.whole, f"eksctl-{cluster}-cluster")


def parsed_stream(name: str) -> EksStreamName | None:
    """Return the parts of a stream's name; None where it is of another platform."""
    return parsed_eks(name)


def summary(log: ClusterLog, streams: Sequence[Stream]) -> str:
    """Return what some streams are of."""
    if log.group.name.startswith(CONTROL_PLANE):
        return "the control plane"
    sources = [stream.parts for stream in streams if isinstance(stream.parts, EksStreamName)]
    return count_text(len({source.host for source in sources if source.is_of_node}), "node")


def export_part(export: Export, kubectl_of: KubectlOf) -> KubernetesPart:
    """Return what adds the logs of pods, and what Kubernetes says of them."""
    return KubernetesPart(export.account, export.log.name, export.of, report=export.report, kubectl_of=kubectl_of)


def streams_of(account: Account, log: ClusterLog, selection: LogSelection) -> tuple[Stream, ...]:  # noqa: ARG001  part of the protocol
    """Return the streams of nodes of EKS; those of its control plane are of none."""
    with_parts = [(stream, stream.parts) for stream in log.streams if isinstance(stream.parts, EksStreamName)]
    for node in selection.nodes:
        if not any(parts.is_of(node) for _, parts in with_parts):
            hint = (
                f"`trainyard logs {log.name} --region {log.region}` lists its groups; without --group, pods are meant"
            )
            raise InputError(f"{log.group.name} has no logs of a node {node!r}", where="--node", hint=hint)
    if not selection.nodes:
        return log.streams
    return tuple(stream for stream, parts in with_parts if any(parts.is_of(node) for node in selection.nodes))
