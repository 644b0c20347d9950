"""Why something failed: from files of logs, or from a cluster, to the root cause."""

from __future__ import annotations

import datetime as dt
import re
from functools import partial
from typing import TYPE_CHECKING

from trainyard.deploy.own_bucket import bucket_of_cluster
from trainyard.diagnose.cluster.cluster_reader import ReadingCluster
from trainyard.diagnose.cluster.stack_file import stack_files
from trainyard.diagnose.cluster.stream_files import StreamFiles
from trainyard.diagnose.combined_scan import Collected
from trainyard.diagnose.diagnosis import Diagnosis, NotAsked
from trainyard.diagnose.diagnosis_values import diagnosis_values, has_errors, redacted
from trainyard.diagnose.line_filter import EVERYTHING, Wanted
from trainyard.diagnose.log_file import LogFile, Unread
from trainyard.diagnose.reading import log_files
from trainyard.diagnose.report.page import report_page
from trainyard.diagnose.report.sentences import counted, size
from trainyard.diagnose.scanning.scan import scan
from trainyard.diagnose.unusual import UnusualLines, unusual_lines
from trainyard.edge.aws import s3
from trainyard.edge.aws.cluster_logs import LogStream, groups
from trainyard.edge.aws.node_names import instance_of_slurm_node
from trainyard.edge.kubernetes.kubectl import kubectl_of
from trainyard.edge.new_file import write_new_file
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.logs.cluster_log import cluster_log
from trainyard.operate.logs.log_filter import Wanted as WantedStreams
from trainyard.operate.logs.log_filter import chosen
from trainyard.operate.logs.period import Period, period
from trainyard.operate.nodes.failure_logs import failures_logged
from trainyard.platforms.batch.diagnosis.batch_files import batch_files
from trainyard.platforms.eks.diagnosis.cluster_reader import read_eks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from typing import Any

    from trainyard.diagnose.diagnosis import UnusualLine
    from trainyard.diagnose.reading import Source
    from trainyard.diagnose.scanning.result import Progress
    from trainyard.edge.aws.account import Account
    from trainyard.operate.logs.cluster_log import ClusterLog
    from trainyard.platforms.eks.diagnosis.cluster_reader import KubectlOf

# Every node of every job has one, for as long as the group keeps them.
_MOST_STREAMS_OF_JOBS = 200
_MOST_NODES_SHOWN, _MOST_NODES_LISTED = 8, 1000
# What EC2 calls hosts and instances; anything else is a name of Slurm.
_HOST_OR_INSTANCE = re.compile(r"ip(?:-\d{1,3}){4}\b|i-[0-9a-f]+$")

__all__ = [
    "Diagnosis",
    "diagnose_cluster",
    "diagnose_files",
    "diagnosis_values",
    "has_errors",
    "redacted",
    "wanted_lines",
    "write_diagnosis",
]


def wanted_lines(since: str | None, until: str | None, nodes: tuple[str, ...], now_s: float) -> Wanted:
    """Return which lines count. Raises InputError where a text such as 1h or 2026-05-06T13:25 means no time."""
    of = period(since, until, now_s)
    return Wanted(_time(of.since_ms), _time(of.until_ms), nodes)


def diagnose_files(
    source: str, wanted: Wanted = EVERYTHING, report: Callable[[str], None] = lambda _: None
) -> Diagnosis:
    """Return what is wrong by the logs in a file, a folder or an archive, or of standard input for ``-``.

    Raises InputError where nothing of it can be read.
    """
    collected = Collected()
    with log_files(source) as opened:
        unusual = None if opened.repeatable else UnusualLines()
        told = _told(opened, report)
        collected.add(scan(opened.files, unread=opened.unread, progress=told, unusual=unusual, wanted=wanted))
    is_nothing = not collected.size_bytes or (opened.binary_files == collected.files and not collected.hits)
    if collected.unread and is_nothing and collected.files <= collected.unread_count:
        first = collected.unread[0]
        raise InputError(f"nothing in {source} can be read: {first.name}: {first.why}", where=source)
    _refuse_unknown_nodes(source, collected)
    lines = partial(_unusual_in, source, wanted) if unusual is None else unusual.lines
    return _diagnosis(source, collected, wanted, lines)


def diagnose_cluster(  # noqa: PLR0913  which cluster, and what of it
    name: str,
    where: Account,
    wanted: Wanted = EVERYTHING,
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
    reading = ReadingCluster(wanted, read_all, report)
    refused: list[TrainyardError] = []
    of_eks: list[bool] = []
    parts: dict[str, Callable[[], object]] = {
        "the events of its stacks": lambda: reading.read(_stacks(name, where), of_no_node=True),
        "its state in AWS Batch": lambda: _read_batch(name, where, reading),
        "its state in EKS": lambda: of_eks.append(read_eks(name, where, reading, kubectl)),
        "what its nodes recorded": lambda: _read_records(name, where, bucket, reading),
        "its logs in CloudWatch": lambda: _read_streams(name, where, reading, is_of_eks=any(of_eks)),
    }
    for part, read in parts.items():
        try:
            read()
        except TrainyardError as error:
            refused.append(error)
            reading.collected.leave_out(Unread(part, error.problem))
    for no_such_node in refused:
        if no_such_node.where == "--node":  # that nothing is known of it is no good news
            raise no_such_node
    if refused and not reading.collected.files:
        raise _nothing(name, where, refused)
    return _diagnosis(f"{name} in {where.region}", reading.collected, wanted, reading.unusual.lines)


def write_diagnosis(values: Mapping[str, Any], file: Path, *, force: bool = False) -> None:
    """Write a diagnosis as a Markdown page. Raises InputError where the file exists and is not to be replaced."""
    write_new_file(file, report_page(values), force=force)


def _stacks(name: str, where: Account) -> Iterable[LogFile]:
    """Yield the events of the stack that is called so, and of that of a cluster of AWS Batch."""
    yield from stack_files(where, name)
    yield from stack_files(where, f"{name}-batch")


def _read_batch(name: str, where: Account, reading: ReadingCluster) -> None:
    unread: list[Unread] = []
    reading.read(batch_files(where, name, unread))
    reading.collected.leave_out(*unread)


def _read_streams(name: str, where: Account, reading: ReadingCluster, *, is_of_eks: bool) -> None:
    if is_of_eks and not groups(where, name, "eks"):
        why = f"CloudWatch has no log group /aws/eks/{name}/cluster: what `eks.control_plane_logs` names is kept there"
        reading.collected.leave_out(Unread("the logs of its control plane", why))
        return
    log, wanted = cluster_log(where, name), reading.wanted
    if log.is_of_eks:
        _read_control_plane(log, where, reading)
        return
    streams = [
        LogStream(one.name, one.first_ms, one.last_ms) for one in chosen(where, log, WantedStreams(wanted.nodes))
    ]
    reading.collected.logs_by_node += len(log.streams) - len(streams)
    if not log.whole:
        reading.collected.leave_out(Unread(f"streams of {log.group.name}", f"only {len(log.streams):,} were listed"))
    if log.is_of_jobs and not reading.read_all and len(streams) > _MOST_STREAMS_OF_JOBS:
        streams.sort(key=lambda one: one.first_ms or 0, reverse=True)
        older = len(streams) - _MOST_STREAMS_OF_JOBS
        reading.collected.leave_out(Unread(f"{older} older streams of jobs", "not looked at; --all reads everything"))
        streams = streams[:_MOST_STREAMS_OF_JOBS]
    of = Period(_ms(wanted.since), _ms(wanted.until))
    reading.read_streams(StreamFiles(where, log.group.name, *of), streams)


def _read_control_plane(log: ClusterLog, where: Account, reading: ReadingCluster) -> None:
    """Read what the control plane of EKS logs, which is of no node. Its audit log is long and tells of no failure."""
    wanted = reading.wanted
    if wanted.nodes:
        reading.collected.logs_by_node += len(log.streams)
        return
    named = [one for one in log.streams if reading.read_all or one.kind != "kube-apiserver-audit"]
    if len(named) < len(log.streams):
        why = "not looked at; --all reads everything"
        reading.collected.leave_out(Unread(f"{len(log.streams) - len(named)} audit streams", why))
    of = Period(_ms(wanted.since), _ms(wanted.until))
    streams = [LogStream(one.name, one.first_ms, one.last_ms) for one in named]
    reading.read_streams(StreamFiles(where, log.group.name, *of), streams)


def _read_records(name: str, where: Account, bucket: str | None, reading: ReadingCluster) -> None:
    used = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    logged = failures_logged(where, used, name)
    nodes = _with_instances(name, where, reading.wanted.nodes) if logged else ()
    of_nodes = [one for one in logged if Wanted(nodes=nodes).is_of_nodes(one.name, None)]
    reading.collected.logs_by_node += len(logged) - len(of_nodes)
    reading.read(LogFile(one.name, ["".join(f"{line}\n" for line in one.lines).encode()]) for one in of_nodes)


def _with_instances(name: str, where: Account, nodes: tuple[str, ...]) -> tuple[str, ...]:
    """Return the nodes with the instances behind those that Slurm has named: records bear no names of Slurm."""
    found = (instance_of_slurm_node(where, name, one) for one in nodes if not _HOST_OR_INSTANCE.match(one))
    return (*nodes, *(one for one in found if one is not None))


def _nothing(name: str, where: Account, refused: list[TrainyardError]) -> InputError:
    problems = "; ".join(dict.fromkeys(error.problem for error in refused))
    hint = next((error.hint for error in refused if error.hint), "check the name, --region and --profile")
    return InputError(f"nothing of a cluster {name} in {where.region} can be read: {problems}", where=name, hint=hint)


def _refuse_unknown_nodes(source: str, collected: Collected) -> None:
    """Raise InputError where a node is asked for that no log names: that nothing is known of it is no good news."""
    for left_out in collected.left_out:
        for node in sorted(left_out.unknown):
            shown = ", ".join(list(left_out.nodes)[:_MOST_NODES_SHOWN])
            more = ", …" if len(left_out.nodes) > _MOST_NODES_SHOWN else ""
            seen = f"nodes seen: {shown}{more}" if shown else "no line tells its node"
            hint = "leave --node out to see what is wrong on any"
            raise InputError(f"no line of {source} is of node {node}; {seen}", where="--node", hint=hint)


def _not_asked(collected: Collected, wanted: Wanted) -> NotAsked | None:
    """Return what was found and not asked for, in all readings."""
    parts = collected.left_out
    if wanted.is_everything:
        return None
    nodes = tuple(dict.fromkeys(node for one in parts for node in one.nodes))
    return NotAsked(
        sum(one.by_period for one in parts),
        min((one.oldest for one in parts if one.oldest), default=None),
        max((one.newest for one in parts if one.newest), default=None),
        sum(one.by_node for one in parts),
        nodes[:_MOST_NODES_LISTED],
        wanted.nodes,
        wanted.since,
        wanted.until,
        sum(one.logs_by_period for one in parts),
        collected.logs_by_node,
    )


def _diagnosis(
    source: str, collected: Collected, wanted: Wanted, unusual: Callable[[], tuple[UnusualLine, ...]]
) -> Diagnosis:
    """Return the answer. Unusual lines are looked for where no cause is known, or the first is no root."""
    causes, harmless = collected.found()
    is_deep = bool(causes) and causes[0].cause.kind == "root"
    return Diagnosis(
        source, causes, harmless, () if is_deep else unusual(), tuple(collected.unread), collected.files,
        collected.size_bytes, collected.unread_count, _not_asked(collected, wanted),
    )  # fmt: skip


def _unusual_in(source: str, wanted: Wanted) -> tuple[UnusualLine, ...]:
    with log_files(source) as again:
        return unusual_lines(again.files, wanted=wanted)


def _told(opened: Source, report: Callable[[str], None]) -> Callable[[Progress], None]:
    def show(done: Progress) -> None:
        share = f", {opened.read_bytes / opened.size_bytes:.0%}" if opened.size_bytes else ""
        report(f"{counted(done.files, 'log')} read, {size(done.size_bytes)}{share}")

    return show


def _time(ms: int | None) -> dt.datetime | None:
    return None if ms is None else dt.datetime.fromtimestamp(ms / 1000, dt.UTC)


def _ms(time: dt.datetime | None) -> int | None:
    return None if time is None else int(time.timestamp() * 1000)
