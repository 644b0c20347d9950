"""Events that are objects of one JSON document: of stacks, of CloudWatch Logs, of the journal, of Kubernetes.

Objects are taken as they end, in a document of any size, pretty or not, whole or cut off.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from trainyard.diagnose.line_node import host_of
from trainyard.diagnose.line_time import time_of, time_of_number
from trainyard.diagnose.scanning.pieces import without_escapes

_HEAD_BYTES = 4096
# `describe-stack-events`, ParallelCluster's exports and its own commands, which begin their keys with a small letter;
# `get-log-events` and `filter-log-events`; `journalctl -o json` and json-pretty; `kubectl get -o json`.
# What validators of ParallelCluster say is an event as well.
_MARKS = (
    b'"ResourceStatus"', b'"resourceStatus"', b'"ingestionTime"', b'"__REALTIME_TIMESTAMP"', b'"apiVersion"',
    b'"configurationValidationErrors"', b'"validationMessages"', b'Validator"',
)  # fmt: skip
# And what ships the journal with a part of its fields.
_LOG_EVENTS = re.compile(
    rb'"events"\s*:\s*\[\s*\{\s*"(?:message|timestamp|logStreamName)"|"MESSAGE"\s*:\s*\[\s*\d{1,3}\s*,'
)
_TOKEN = re.compile(rb'"((?:[^"\\\n]++|\\.)*+)"(\s*+:)?|([{}\[\]\n])|(?<![\w.])(\d[\d.]{8,20})')
# What journald writes of a message that is no text, or holds colours: https://systemd.io/JOURNAL_EXPORT_FORMATS/
_BYTE_ARRAY = re.compile(rb'("MESSAGE"\s*+:\s*+)\[((?:\s*+\d{1,3}\s*+,?)++)\]')
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_TIMES = ("timestamp", "__REALTIME_TIMESTAMP", "_SOURCE_REALTIME_TIMESTAMP", "datetime", "time")
_MESSAGES = ("message", "MESSAGE")
_OF_STACKS = ("logicalResourceId", "resourceType", "resourceStatus", "resourceStatusReason")
# Events, conditions and ends of containers, each with the time that is told last first.
# https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
_TIMES_OF_KUBERNETES = ("lastTimestamp", "eventTime", "firstTimestamp", "finishedAt", "lastTransitionTime")
_OF_KUBERNETES = ("type", "reason", "kind", "name")
_NESTED = {"involvedObject": ("kind", "name"), "regarding": ("kind", "name"), "source": ("host",)}
_KEYS = frozenset({
    *_TIMES, *_MESSAGES, *_OF_STACKS, *_OF_KUBERNETES, *_TIMES_OF_KUBERNETES, "logStreamName", "_HOSTNAME", "hostname",
    "host", "level",
})  # fmt: skip
# What is nested deeper is hostile; longer values than this are cut.
_DEEPEST, _LONGEST_BYTES = 64, 2**16
_BYTES = 256


class JsonEvent(NamedTuple):
    """Something that happened, by what its object says."""

    lines: range
    """Where its object stands."""
    line: int
    """Where the words of it stand."""
    raw: bytes
    """That line, or the value where the line holds more."""
    text: str
    """What signatures are held against."""
    time: dt.datetime | None
    node: str | None


class _Value(NamedTuple):
    text: str
    line: int
    raw: bytes


def is_json_events(head: bytes) -> bool:
    """Return whether a document holds events, by its beginning."""
    head = head[:_HEAD_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n")
    return head[:1] in {b"{", b"["} and (any(mark in head for mark in _MARKS) or bool(_LOG_EVENTS.search(head)))


class JsonEvents:
    """Reads one document, piece by piece."""

    def __init__(self) -> None:
        """Begin before the first line."""
        self._objects: list[tuple[int, str, dict[str, _Value]]] = []
        """With the lines where they begin, and the keys that they are the value of."""
        self._depth = 0
        self._key = ""
        self._left = b""

    def take(self, data: bytes, line: int) -> Iterator[JsonEvent]:
        """Yield the events that end in the next bytes, which begin in a line of this number."""
        data = _BYTE_ARRAY.sub(_text_of_array, self._left + data)
        line -= self._left.count(b"\n")
        done = 0
        for token in _TOKEN.finditer(data):
            done = token.end()
            if token[3] == b"\n":
                line += 1
            elif token[3]:
                yield from self._bracket(token[3], line)
            elif token[2]:
                self._key = _name(token[1])
            else:
                self._value(data, token, line)
        opened = data.find(b'"', done)
        # A string that goes on in the next piece.
        self._left = data[opened:][-_LONGEST_BYTES * 16 :] if opened >= 0 else b""

    def _bracket(self, bracket: bytes, line: int) -> Iterator[JsonEvent]:
        key, self._key = self._key, ""
        if bracket == b"{":
            self._depth += 1
            if self._depth <= _DEEPEST:
                self._objects.append((line, key, {}))
        elif bracket == b"}" and self._depth:
            self._depth -= 1
            if self._depth < len(self._objects):
                start, of, values = self._objects.pop()
                self._tell_outer(of, values)
                yield from _event(range(start, line + 1), values)

    def _tell_outer(self, key: str, values: dict[str, _Value]) -> None:
        """Keep of an object that ends what the object around it is about."""
        if key in _NESTED and self._objects:
            outer = self._objects[-1][2]
            outer.update({f"{key}.{name}": values[name] for name in _NESTED[key] if name in values})

    def _value(self, data: bytes, token: re.Match[bytes], line: int) -> None:
        if self._key in _KEYS and self._objects and self._depth == len(self._objects):
            content = (token[1] if token[4] is None else token[4])[:_LONGEST_BYTES]
            self._objects[-1][2][self._key] = _Value(_plain(content), line, _raw(data, token, content))
        self._key = ""


def _event(lines: range, values: dict[str, _Value]) -> Iterator[JsonEvent]:
    if "resourceStatus" in values:
        words = [values[key].text for key in _OF_STACKS if key in values]
        place = values.get("resourceStatusReason", values["resourceStatus"])
    elif value := next((values[key] for key in (*_MESSAGES, *_alone(values)) if key in values), None):
        place = value
        words = [*_words_of_kubernetes(values), *([place.text] if place is not values.get("reason") else [])]
        if "level" in values and "type" in values:
            words = [_validation_message(values, place.text)]
    else:
        return
    time_text = next((values[key].text for key in (*_TIMES, *_TIMES_OF_KUBERNETES) if key in values), "")
    host = next((values[key].text.partition(".")[0] for key in ("_HOSTNAME", "hostname") if key in values), None)
    host = host or _node_of_kubernetes(values)
    stream = values.get("logStreamName")
    node = host or (host_of(stream.text) if stream else None)
    yield JsonEvent(lines, place.line, place.raw, " ".join(words), _time(time_text), node)


def _validation_message(values: dict[str, _Value], message: str) -> str:
    """Return what a validator of ParallelCluster says as its command prints it on one line."""
    return f'"level": "{values["level"].text}", "type": "{values["type"].text}", "message": "{message}"'


def _alone(values: dict[str, _Value]) -> tuple[str, ...]:
    """Return what stands for a message where a container has ended and says no more than the reason."""
    return ("reason",) if "finishedAt" in values else ()


def _words_of_kubernetes(values: dict[str, _Value]) -> list[str]:
    """Return what stands beside the message of an event or a condition: `Warning FailedScheduling Pod/train-0`."""
    if "reason" not in values:
        return []
    about = next((reference for reference in ("involvedObject", "regarding") if f"{reference}.name" in values), "")
    named = "/".join(values[f"{about}.{key}"].text for key in ("kind", "name") if f"{about}.{key}" in values)
    return [*(values[key].text for key in ("type", "reason") if key in values), *([named] if named else [])]


def _node_of_kubernetes(values: dict[str, _Value]) -> str | None:
    """Return the node that an event is about, or whose kubelet tells it."""
    for about in ("involvedObject", "regarding"):
        if (kind := values.get(f"{about}.kind")) and kind.text == "Node" and f"{about}.name" in values:
            return values[f"{about}.name"].text.partition(".")[0]
    host = values.get("source.host")
    return host.text.partition(".")[0] if host and host.text else None


def _time(time_text: str) -> dt.datetime | None:
    if time_text.replace(".", "", 1).isdigit():
        return time_of_number(float(time_text))
    return time_of(time_text)


def _text_of_array(match: re.Match[bytes]) -> bytes:
    """Return a message of bytes as a string of JSON, with as many line breaks behind it as the array had."""
    numbers = [int(number) for number in match[2].replace(b",", b" ").split()]
    text = without_escapes(bytes(number for number in numbers if number < _BYTES)).decode("utf-8", "replace")
    return match[1] + json.dumps(text, ensure_ascii=False).encode() + b"\n" * match[2].count(b"\n")


def _name(key: bytes) -> str:
    """Return a key with a small first letter, as ParallelCluster's commands write those of CloudFormation."""
    name = key[:64].decode("utf-8", "replace")
    return name if name.isupper() or name.startswith("_") else name[:1].lower() + name[1:]


def _plain(content: bytes) -> str:
    """Return what a string of JSON says; line breaks in it become spaces."""
    return (
        _ESCAPE.sub(_character, content.decode("utf-8", "replace"))
        if b"\\" in content
        else content.decode("utf-8", "replace")
    )


def _character(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16)) if not 0xD800 <= int(escape[1], 16) < 0xE000 else "�"
    return escape[2] if escape[2] in '"\\/' else " "


def _raw(data: bytes, token: re.Match[bytes], content: bytes) -> bytes:
    """Return the line of a value; the value alone where its line is long."""
    start = data.rfind(b"\n", 0, token.start()) + 1
    end = data.find(b"\n", token.end())
    end = len(data) if end < 0 else end
    return data[start:end] if end - start < len(content) + 200 else content
