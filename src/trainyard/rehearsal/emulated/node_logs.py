"""What the nodes of an emulated cluster write into its log group, in the streams that the CloudWatch agent makes.

Time does not pass in the emulated account: lines that real nodes write within an hour follow one another within a
second, the last of them now.
"""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, NamedTuple

from trainyard.rehearsal.emulated.breakdown import words
from trainyard.rehearsal.emulated.resource import Aws

_STEP = dt.timedelta(milliseconds=4)
_MOST_NODES = 8


class LoggingNode(NamedTuple):
    """A node that writes logs."""

    host: str
    """Its short host name, such as ip-10-0-0-5."""
    instance_id: str
    address: str
    name: str = ""
    """Slurm's name of a compute node."""


class NodeLogLine(NamedTuple):
    """A line of a stream, without its time."""

    node: LoggingNode
    log: str
    text: str


@dataclass(frozen=True, slots=True)
class NodeLogs:
    """The logs of a cluster, where it has any."""

    aws: Aws
    group: str | None
    head: LoggingNode
    compute: Sequence[LoggingNode]
    values: Mapping[str, str]
    """What the words of templates stand for, but for those of single nodes."""

    def write(self, entries: Iterable[Mapping[str, Any]]) -> None:
        """Write lines, each after the former."""
        if self.group is None:
            return
        lines = [line for entry in entries for line in self._lines(entry)]
        begin = dt.datetime.now(dt.UTC) - _STEP * len(lines)
        streams: dict[str, list[dict[str, Any]]] = {}
        for number, line in enumerate(lines):
            stream = f"{line.node.host}.{line.node.instance_id}.{line.log}"
            streams.setdefault(stream, []).append(_event(line, begin + _STEP * number))
        for stream, events in streams.items():
            self._put(stream, events)

    def filled(self, text: str) -> str:
        """Return a template as the head node says it."""
        return fill_template(text, self._words_of(self.head))

    def _words_of(self, node: LoggingNode) -> dict[str, str]:
        """Return what templates say of a node. The head node speaks of the first of the compute nodes."""
        name = node.name or self.values.get("first", "")
        own = {"host": node.host, "id": node.instance_id, "ip": node.address, "node": name}
        return {**words("hints"), **self.values, **own}

    def _lines(self, entry: Mapping[str, Any]) -> Iterator[NodeLogLine]:
        about = self.compute[:_MOST_NODES]
        if entry["by"] == "head" and not entry.get("each"):
            about = about[:1] or [self.head]
        for node in about:
            writer = self.head if entry["by"] == "head" else node
            texts = fill_template(str(entry["says"]), self._words_of(node)).splitlines()
            # What the head node copies from a console is one event: slurm_plugin/console_logger.py of
            # https://github.com/aws/aws-parallelcluster-node
            texts = ["\r".join(texts)] if entry.get("joined") else texts
            yield from (NodeLogLine(writer, str(entry["log"]), text) for text in texts)

    def _put(self, stream: str, events: list[dict[str, Any]]) -> None:
        logs = self.aws.client("logs")
        with contextlib.suppress(logs.exceptions.ResourceAlreadyExistsException):
            logs.create_log_stream(logGroupName=self.group, logStreamName=stream)
        logs.put_log_events(logGroupName=self.group, logStreamName=stream, logEvents=events)


def fill_template(text: str, values: Mapping[str, str]) -> str:
    """Return a template with its words filled in, and those in the words. What is no word stays as it is."""
    once = Template(text).safe_substitute(values)
    return Template(once).safe_substitute(values)


def _event(line: NodeLogLine, at: dt.datetime) -> dict[str, Any]:
    utc = at.isoformat(timespec="milliseconds")
    message = f"{_before(line, at)}{line.text}".replace("$utc", utc)
    return {"timestamp": int(at.timestamp() * 1000), "message": message}


def _before(line: NodeLogLine, at: dt.datetime) -> str:
    """Return the time that a program writes before a line."""
    form = words("times").get(line.log)
    if form is None or not line.text.startswith(tuple(form.get("only", ("",)))):
        return ""
    written = at.strftime(form["before"])
    return fill_template(written, {"ms": f"{at.microsecond // 1000:03}", "host": line.node.host})
