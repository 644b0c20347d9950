"""The last lines of the log of the chosen node, or of the nodes of the chosen job, read as `trainyard logs` reads them.

Nothing is read before somebody asks for it, and no more than one log at a time. Lines are shown without secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.log_events import LogEvent
from trainyard.errors import InputError, TrainyardError
from trainyard.foreign_text import cut_line
from trainyard.monitoring.dashboard import Dashboard
from trainyard.monitoring.prometheus_config import SCRAPE_INTERVAL_S
from trainyard.operate.logs.cluster_log import ClusterLog, Stream, cluster_log
from trainyard.operate.logs.log_filter import LogSelection, selected_streams
from trainyard.operate.logs.logs import LogReader, Logs, logs_of
from trainyard.operate.logs.period import Period
from trainyard.operate.monitoring.viewer.selection import Selection, Window, fill_variables
from trainyard.operate.monitoring.viewer.source import MetricsSource
from trainyard.redaction.secrets import REPLACEMENT, without_secrets

MOST_LINES = 200
MOST_NODES = 20
"""Of a job: whose logs are read."""
_MOST_OF_SLURM = 50
_LONGEST_LINE = 2000
# An event may have 1 MB: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_InputLogEvent.html
_LONGEST_MESSAGE = 20_000
_LONGEST_NAME = 200
_OF_NODE = 'up{cluster=~"$cluster", node_name=~"$node"}'
_OF_JOB = 'node:job:max{cluster=~"$cluster", node_name=~"$node", user=~"$user", jobid=~"$job"}'
_SLURMCTLD = "slurmctld"


class LogLines:
    """Reads logs of one account."""

    def __init__(self, api: MetricsSource, where: Account | None) -> None:
        """Ask nothing yet. Without an account, nothing can be read."""
        self._api, self._where = api, where
        self._reading = Lock()

    def of(self, dashboard: Dashboard, selection: Selection, window: Window) -> dict[str, Any]:
        """Return the lines that a page about one node or job shows, the newest last, or why there are none."""
        if not self._reading.acquire(blocking=False):
            return {"error": {"problem": "a log is being read already", "hint": "wait until it is there"}}
        try:
            return self._lines(dashboard, selection, window)
        except TrainyardError as error:
            return {"error": {"problem": error.problem, "hint": error.hint}}
        finally:
            self._reading.release()

    def _lines(self, dashboard: Dashboard, selection: Selection, window: Window) -> dict[str, Any]:
        if self._where is None:
            problem = "nothing says in which region of AWS the logs are"
            hint = "start `trainyard monitor view` with the name of the cluster, or with --region"
            raise InputError(problem, where="--region", hint=hint)
        series = fill_variables(_OF_JOB if dashboard.about_one == "job" else _OF_NODE, selection, window)
        cluster, *_ = self._values("cluster", series, window) or [""]
        nodes = self._values("node_name", series, window)
        if not cluster or not nodes:
            problem = f"no metrics say which nodes the {dashboard.about_one} has at this time"
            raise TrainyardError(problem, where=dashboard.about_one, hint="choose another time")
        job = selection.job[0] if dashboard.about_one == "job" and selection.job else ""
        # The window ends with a whole interval, and the log goes on.
        of = Period(window.start_s * 1000, (window.end_s + SCRAPE_INTERVAL_S) * 1000)
        return {
            "nodes": min(len(nodes), MOST_NODES),
            "of_nodes": len(nodes),
            "lines": _shown(_events(self._where, cluster, tuple(nodes[:MOST_NODES]), job, of)),
        }

    def _values(self, label: str, series: str, window: Window) -> list[str]:
        return self._api.label_values(label, [series], window.start_s, window.end_s)


def _events(where: Account, cluster: str, nodes: tuple[str, ...], job: str, of: Period) -> list[tuple[LogEvent, str]]:
    """Return events, the newest last, each with whose they are."""
    events: list[tuple[LogEvent, str]] = []
    for reader, grep, most in _readers(where, cluster, nodes, job):
        labels = {stream.name: stream.parts.label for stream in reader.streams if stream.parts is not None}
        events += [(event, labels.get(event.stream, event.stream)) for event in reader.events(of, grep=grep, tail=most)]
    return sorted(events, key=lambda labelled: labelled[0].at_ms)[-MOST_LINES:]


def _readers(
    where: Account, cluster: str, nodes: tuple[str, ...], job: str
) -> Iterator[tuple[LogReader, str | None, int]]:
    """Yield what reads the logs, what it looks for, and for how many lines.

    What jobs print lies in streams of jobs on AWS Batch, and in pods on Amazon EKS.
    """
    selection = LogSelection(jobs=(job,)) if job else LogSelection(nodes=nodes)
    try:
        log = cluster_log(where, cluster)
    except TrainyardError:
        # A cluster whose control plane logs nothing has no log group; of any other, the same is said again.
        yield logs_of(cluster, where, nodes=selection.nodes, jobs=selection.jobs), None, MOST_LINES
        return
    if log.leaves_pods_out:
        yield logs_of(cluster, where, nodes=selection.nodes, jobs=selection.jobs), None, MOST_LINES
    elif log.is_of_jobs:
        yield Logs(log, selected_streams(where, log, selection), selection, where), None, MOST_LINES
    else:
        of_nodes = LogSelection(nodes=nodes)
        yield Logs(log, _streams_of_any(where, log, nodes), of_nodes, where), None, MOST_LINES
        of_slurm = tuple(stream for stream in log.streams if stream.kind == _SLURMCTLD)
        if job.isdigit() and of_slurm:
            slurm = Logs(log, of_slurm, LogSelection(kinds=(_SLURMCTLD,)), where)
            yield slurm, f"JobId={job}([^0-9]|$)", _MOST_OF_SLURM


def _streams_of_any(where: Account, log: ClusterLog, nodes: Sequence[str]) -> tuple[Stream, ...]:
    """Return the streams of those nodes that have any. Raises InputError where none has."""
    streams: dict[str, Stream] = {}
    error: InputError | None = None
    for node in nodes:
        try:
            streams |= {stream.name: stream for stream in selected_streams(where, log, LogSelection(nodes=(node,)))}
        except InputError as missing:
            error = missing
    if error is not None and not streams:
        raise error
    return tuple(streams.values())


def _shown(events: Sequence[tuple[LogEvent, str]]) -> list[dict[str, Any]]:
    texts = _without_secrets([event.message[:_LONGEST_MESSAGE] for event, _ in events])
    return [
        {"at": event.at_ms / 1000, "from": cut_line(label, _LONGEST_NAME), "text": _cut(text)}
        for (event, label), text in zip(events, texts, strict=True)
    ]


def _without_secrets(messages: Sequence[str]) -> list[str]:
    """Return messages without secrets, of which one may go through several: a key is a line in each."""
    ends = [message.count("\n") + 1 for message in messages]
    lines = iter(without_secrets("\n".join(messages), _as_many_lines).split("\n"))
    return ["\n".join(next(lines) for _ in range(number)) for number in ends]


def _as_many_lines(_kind: str, secret: str) -> str:
    return REPLACEMENT + "\n" * secret.count("\n")


def _cut(text: str) -> str:
    """Return a message with its own lines, none of which commands its reader."""
    return "\n".join(cut_line(line, _LONGEST_LINE) for line in re.split(r"\r?\n|\r", text.rstrip())[:MOST_LINES])
