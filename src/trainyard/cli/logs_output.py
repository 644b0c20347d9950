"""How logs are printed: streams as a table, events as lines, or both as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trainyard.cli.output import print_plain, print_text, styled
from trainyard.counts import count_text
from trainyard.edge.aws.log_events import time_text
from trainyard.foreign_text import BAR, one_line
from trainyard.platform_table import PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainyard.api.logs import ClusterLog, LogReader, Period, Stream
    from trainyard.edge.aws.log_events import LogEvent
    from trainyard.operate.logs.cluster_log import StreamSource

_MOST_FORMER = 5
_LONGEST_HOST = 24
_LONGEST_POD = 48


def print_log(logs: LogReader) -> None:
    """Print which streams there are."""
    if (log := logs.log) is None:
        _print_pods(logs)
        return
    retention = "for good" if log.group.kept_days is None else f"for {count_text(log.group.kept_days, 'day')}"
    print_text(f"{log.group.name}: {_size(log.group.size_bytes)}, kept {retention}")
    print_text(
        f"{count_text(len(logs.streams), 'stream')} of {_whose(log, logs)}{'' if log.whole else ', and there are more'}"
    )
    for stream in logs.streams:
        print_text(_row(stream))
    for former in log.former[:_MOST_FORMER]:
        what = "another group of this cluster" if log.leaves_pods_out else "a former cluster of this name"
        print_text(f"{what}: --group {former.name} ({_size(former.size_bytes)})")
    if log.leaves_pods_out:
        print_text("pods: --pod, --job and --node read their logs by kubectl")


def _print_pods(logs: LogReader) -> None:
    pods = {stream.name.rpartition("/")[0] for stream in logs.streams}
    print_text(f"{count_text(len(logs.streams), 'container')} of {count_text(len(pods), 'pod')}, by kubectl")
    for stream in logs.streams:
        names = _names(stream.name, stream)
        pod, node = one_line(str(names["pod"])), one_line(str(names["host"] or "on no node"))
        print_text(f"  {pod:<{_LONGEST_POD}}  {stream.kind:<{_LONGEST_HOST}}  {node}")


def nothing_found(logs: LogReader, of: Period, grep: str | None) -> str:
    """Return what was looked at where nothing was found, and of what time there are events."""
    since = f" from {time_text(of.since_ms)} on" if of.since_ms is not None else ""
    until = f" before {time_text(of.until_ms)}" if of.until_ms is not None else ""
    period = f"{since}{' and' if since and until else ''}{until}"
    that = f" that {grep!r} finds" if grep is not None else ""
    if logs.log is None:
        return f"no line{period}{that}: looked at {count_text(len(logs.streams), 'container')} by kubectl"
    looked_at = f"{count_text(len(logs.streams), 'stream')} of {_whose(logs.log, logs)} in {logs.log.group.name}"
    return f"no event{period}{that}: looked at {looked_at}, {_known_times(logs)}"


def _known_times(logs: LogReader) -> str:
    """Return of what time CloudWatch knows events of the streams; what it says of the last is up to an hour behind."""
    first = [stream.first_ms for stream in logs.streams if stream.first_ms is not None]
    last = [stream.last_ms for stream in logs.streams if stream.last_ms is not None]
    if not first or not last:
        return "which hold no events"
    return f"whose events are from {_minute(min(first))} to about {_minute(max(last))}"


def _whose(log: ClusterLog, logs: LogReader) -> str:
    return log.platform.summary(log, logs.streams)


def _row(stream: Stream) -> str:
    names = _names(stream.name, stream)
    id_, kind = one_line(str(names["instance_id"] or names["job_id"] or "")), one_line(str(names["log"] or ""))
    times = f"{_minute(stream.first_ms)}  {_minute(stream.last_ms)}"
    return f"  {times}  {one_line(stream.node):<{_LONGEST_HOST}}  {id_:<19}  {kind}".rstrip()


def _minute(at_ms: int | None) -> str:
    return f"{'-':<16}" if at_ms is None else time_text(at_ms)[:16].replace("T", " ")


def _size(size_bytes: int) -> str:
    mib = size_bytes / 2**20
    return f"{mib:,.1f} MiB" if mib < 1024 else f"{mib / 1024:,.1f} GiB"


def log_values(logs: LogReader) -> dict[str, Any]:
    """Return which streams there are, as values for JSON."""
    if (log := logs.log) is None:
        return {
            "name": logs.name,
            "region": logs.account.region,
            "group": None,
            "former_groups": [],
            "whole": True,
            "streams": [{**_names(stream.name, stream), "first": None, "last": None} for stream in logs.streams],
        }
    group = {"name": log.group.name, "size_bytes": log.group.size_bytes, "kept_days": log.group.kept_days}
    return {
        "name": log.name,
        "region": log.region,
        "group": group,
        "former_groups": [log_group.name for log_group in log.former],
        "whole": log.whole,
        "streams": [
            {**_names(stream.name, stream), "first": _time(stream.first_ms), "last": _time(stream.last_ms)}
            for stream in logs.streams
        ],
    }


def event_printer(logs: LogReader, *, as_json: bool) -> Callable[[LogEvent], None]:
    """Return a function that prints events as they come."""
    by_name = {stream.name: stream for stream in logs.streams}
    if as_json:
        return lambda event: _print_as_json(event, by_name.get(event.stream))
    alone = len(logs.streams) == 1
    return lambda event: _print_event(event, by_name.get(event.stream), alone=alone)


def _print_as_json(event: LogEvent, stream: Stream | None) -> None:
    values = {"schema": 1, "time": time_text(event.at_ms), **_names(event.stream, stream), "message": event.message}
    print_plain(json.dumps(values))


def _print_event(event: LogEvent, stream: Stream | None, *, alone: bool) -> None:
    """Print an event; where it has several lines, those after the first stand behind a bar."""
    where = "" if alone else f" {styled(_short(event.stream, stream), fg='cyan')}"
    first, *more = event.message.rstrip("\r\n").replace("\r\n", "\n").split("\n")
    print_text(f"{time_text(event.at_ms)}{where} {_shown(first)}")
    for line in more:
        print_text(f"    {BAR}{_shown(line)}")


def _short(name: str, stream: Stream | None) -> str:
    """Return whose log a stream is, in few words."""
    source = stream.parts if stream is not None else _source(name)
    return name if source is None else source.label


def _shown(line: str) -> str:
    """Return a line with its tabs, and nothing that commands the terminal."""
    return line.expandtabs(8)


def _source(name: str) -> StreamSource | None:
    """Return whose log a stream is by its name, where it was not listed before."""
    sources = (platform.logs().parsed_stream(name) for platform in PLATFORMS.values() if platform.logs is not None)
    return next((source for source in sources if source is not None), None)


def _names(name: str, stream: Stream | None) -> dict[str, str | int | None]:
    """Return whose stream it is: of a node, of a job of AWS Batch, or of a pod."""
    source = stream.parts if stream is not None else _source(name)
    names: dict[str, str | int | None] = dict.fromkeys(
        ("host", "instance_id", "log", "job_id", "job_name", "node", "pod")
    )
    return {"stream": name, **names, **({} if source is None else source.values())}


def _time(at_ms: int | None) -> str | None:
    return None if at_ms is None else time_text(at_ms)
