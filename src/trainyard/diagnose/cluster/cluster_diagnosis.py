"""What is wrong with a cluster, by everything in its account that tells of failures."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence
from functools import partial

from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.diagnose.cluster.cluster_reader import ClusterReader
from trainyard.diagnose.cluster.stream_files import StreamFiles, stack_files
from trainyard.diagnose.diagnosis import Diagnosis
from trainyard.diagnose.line_filter import EVERYTHING, LineFilter
from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import LogStream
from trainyard.edge.aws.parallelcluster import instance_of_slurm_node
from trainyard.edge.kubernetes.kubectl import KubectlOf
from trainyard.edge.kubernetes.kubectl_program import kubectl_of
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.cluster_log import ClusterLog, cluster_log
from trainyard.operate.logs.log_filter import LogSelection as WantedStreams
from trainyard.operate.logs.log_filter import selected_streams
from trainyard.operate.nodes.failure_logs import failures_logged
from trainyard.platform_parts import ClusterEvidence
from trainyard.platform_table import PLATFORMS

# Every node of every job has one, for as long as the group keeps them.
_MOST_STREAMS_OF_JOBS = 200
# What EC2 calls hosts and instances; anything else is a name of Slurm.
_HOST_OR_INSTANCE = re.compile(r"ip(?:-\d{1,3}){4}\b|i-[0-9a-f]+$")


def diagnose_cluster(  # noqa: PLR0913  which cluster, and what of it
    name: str,
    where: Account,
    line_filter: LineFilter = EVERYTHING,
    *,
    bucket: str | None = None,
    read_all: bool = False,
    report: Callable[[str], None] = lambda _: None,
    kubectl: KubectlOf = kubectl_of,
) -> Diagnosis:
    """Return what is wrong with a cluster by the events of its stacks, the records of its nodes, and its logs.

    Of AWS Batch also by what that says of its environments, queues and jobs, and by how they go together; of EKS by
    what that and Kubernetes say of node groups, nodes, pods and jobs, and by the logs of pods that failed.

    The most telling logs are read first; where the root cause is certain, the others are not looked at, unless all
    are asked for. ``bucket`` is the one that its spec named, where no stack is left to say so.
    Raises InputError where nothing of it can be read.
    """
    reader = ClusterReader(line_filter, read_all, report)
    platforms = [platform.cluster_evidence() for platform in PLATFORMS.values()]
    knowing: list[ClusterEvidence] = []

    def read_state(platform: ClusterEvidence) -> None:
        if platform.read_state(where, name, reader, kubectl):
            knowing.append(platform)

    parts: list[tuple[str, Callable[[], None]]] = [
        ("the events of its stacks", lambda: _read_stacks(name, where, platforms, reader)),
        *((platform.PART, partial(read_state, platform)) for platform in platforms),
        ("what its nodes recorded", lambda: _read_records(name, where, bucket, reader)),
        ("its logs in CloudWatch", lambda: _read_logs(name, where, knowing, reader)),
    ]
    refused: list[TrainyardError] = []
    for part, read in parts:
        try:
            read()
        except TrainyardError as error:
            refused.append(error)
            reader.collected.leave_out(Unread(part, error.problem))
    for no_such_node in refused:
        if no_such_node.where == "--node":  # that nothing is known of it is no good news
            raise no_such_node
    if refused and not reader.collected.files:
        problems = "; ".join(dict.fromkeys(error.problem for error in refused))
        hint = next((error.hint for error in refused if error.hint), "check the name, --region and --profile")
        problem = f"nothing of a cluster {name} in {where.region} can be read: {problems}"
        raise InputError(problem, where=name, hint=hint)
    return reader.collected.diagnosis(f"{name} in {where.region}", line_filter, reader.unusual.lines)


def _read_stacks(name: str, where: Account, platforms: Sequence[ClusterEvidence], reader: ClusterReader) -> None:
    """Read the events of the stacks that a cluster of this name may have on any platform."""
    stacks = [stack for platform in platforms for stack in platform.stack_names(name)]
    reader.read((file for stack in stacks for file in stack_files(where, stack)), of_no_node=True)


def _read_records(name: str, where: Account, bucket: str | None, reader: ClusterReader) -> None:
    used = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    logs = failures_logged(where, used, name)
    nodes = _with_instances(name, where, reader.line_filter.nodes) if logs else ()
    logs_of_nodes = [log for log in logs if LineFilter(nodes=nodes).is_of_nodes(log.name, None)]
    reader.collected.logs_by_node += len(logs) - len(logs_of_nodes)
    reader.read(LogFile(log.name, ["".join(f"{line}\n" for line in log.lines).encode()]) for log in logs_of_nodes)


def _with_instances(name: str, where: Account, nodes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the nodes with the instances behind those that Slurm has named: records bear no names of Slurm."""
    instances = (instance_of_slurm_node(where, name, node) for node in nodes if not _HOST_OR_INSTANCE.match(node))
    return (*nodes, *(instance for instance in instances if instance is not None))


def _read_logs(name: str, where: Account, knowing: Sequence[ClusterEvidence], reader: ClusterReader) -> None:
    for platform in knowing:
        if (missing := platform.missing_logs(where, name)) is not None:
            reader.collected.leave_out(missing)
            return
    log = cluster_log(where, name)
    streams = _control_plane_streams(log, reader) if log.leaves_pods_out else _streams(log, where, reader)
    period = (_ms(reader.line_filter.since), _ms(reader.line_filter.until))
    reader.read_streams(StreamFiles(where, log.group.name, *period), streams)


def _streams(log: ClusterLog, where: Account, reader: ClusterReader) -> list[LogStream]:
    """Return the streams of nodes and of jobs that are asked for; of very many jobs, those of the newest."""
    selected = selected_streams(where, log, WantedStreams(reader.line_filter.nodes))
    streams = [LogStream(stream.name, stream.first_ms, stream.last_ms) for stream in selected]
    reader.collected.logs_by_node += len(log.streams) - len(streams)
    if not log.whole:
        reader.collected.leave_out(Unread(f"streams of {log.group.name}", f"only {len(log.streams):,} were listed"))
    if log.is_of_jobs and not reader.read_all and len(streams) > _MOST_STREAMS_OF_JOBS:
        streams.sort(key=lambda stream: stream.first_ms or 0, reverse=True)
        older = len(streams) - _MOST_STREAMS_OF_JOBS
        reader.collected.leave_out(Unread(f"{older} older streams of jobs", "not looked at; --all reads everything"))
        del streams[_MOST_STREAMS_OF_JOBS:]
    return streams


def _control_plane_streams(log: ClusterLog, reader: ClusterReader) -> list[LogStream]:
    """Return what the control plane of EKS logs, which is of no node. Its audit log is long and tells of no failure."""
    if reader.line_filter.nodes:
        reader.collected.logs_by_node += len(log.streams)
        return []
    streams = [stream for stream in log.streams if reader.read_all or stream.kind != "kube-apiserver-audit"]
    if len(streams) < len(log.streams):
        why = "not looked at; --all reads everything"
        reader.collected.leave_out(Unread(f"{len(log.streams) - len(streams)} audit streams", why))
    return [LogStream(stream.name, stream.first_ms, stream.last_ms) for stream in streams]


def _ms(time: dt.datetime | None) -> int | None:
    return None if time is None else int(time.timestamp() * 1000)
