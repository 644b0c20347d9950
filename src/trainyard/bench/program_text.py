"""A line as its program wrote it: without colours, tags in the middle of it, and what a log service puts around it."""

from __future__ import annotations

import json
import re

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][0-9A-B])")
# mpirun writes its tag wherever a program's output was flushed, in the middle of a row too.
_TAG = re.compile(r"\[[^\]\s]*\]<std(?:out|err)>:?")
# A tag without a name, where a half of a row was flushed behind it.
_BARE_TAG = re.compile(r"(?<=[\dA])\[\d+\](?=\s)")
# An element of a list, as notebooks and Ansible write lines.
_ELEMENT = re.compile(r'\s*("(?:[^"\\]|\\.)*"),?\s*')
_SPACE = re.compile("\u00a0|&nbsp;|&#160;|<br>")
# CloudWatch Logs, its Insights, Docker's json-file, journald, Fluent Bit and loggers in JSON; and logfmt.
_FIELD = re.compile(
    r'(?:"(?:message|@message|value|log|msg|MESSAGE|line)"\s*(?::|=>)\s*|\b(?:msg|message)=)("(?:[^"\\]|\\.)*")'
)
# What journald writes of a message that is no text, or holds colours: https://systemd.io/JOURNAL_EXPORT_FORMATS/
_MESSAGE = b'"MESSAGE"'
_BYTE_ARRAY = re.compile(rb'("MESSAGE"\s*:\s*)\[\s*(\d{1,3}(?:\s*,\s*\d{1,3})*)\s*(?:,\s*)?\]')
# A line that a container wrote in parts: https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
_PARTIAL = b" P "
_PARTS = re.compile(rb"(?m)^(\S{20,40} (std(?:out|err))) P (.*)(\n+)\S{20,40} \2 ([PF]) (.*)$")
_MOST_PARTS = 16


def whole_messages(block: bytes) -> bytes:
    """Return lines with messages put together that a log service has taken apart, each in the first of its lines."""
    if _MESSAGE in block:
        block = _BYTE_ARRAY.sub(_text_of_array, block)
    for _ in range(_MOST_PARTS):
        if _PARTIAL not in block:
            break
        block, joined = _PARTS.subn(rb"\1 \5 \3\6\4", block)
        if not joined:
            break
    return block


def _text_of_array(match: re.Match[bytes]) -> bytes:
    """Return a message of bytes as a string of JSON, with as many line breaks behind it as the array had."""
    values = map(int, match[2].split(b","))
    text = json.dumps(bytes(value for value in values if value < 256).decode("utf-8", "replace"))
    return match[1] + text.encode() + b"\n" * match[0].count(b"\n")


def program_lines(text: str) -> list[str]:
    """Return what a program wrote in a line of a log: one line, or several where a record of JSON holds them."""
    fields = _FIELD.findall(text) if '"' in text else []
    if not fields and (element := _ELEMENT.fullmatch(text)):
        fields = [element[1]]
    if not fields:
        return [_seen(text)]
    return [_seen(line) for field in fields for line in _unquoted(field).split("\n") if line.strip()]


def _unquoted(field: str) -> str:
    try:
        return str(json.loads(field, strict=False))
    except json.JSONDecodeError:
        return field[1:-1]


def _seen(text: str) -> str:
    """Return what a terminal shows of a line in the end: what follows the last return of its cursor."""
    if "\x1b" in text:
        text = ESCAPES.sub("", text)
    if "\r" in text:
        text = next((part for part in reversed(text.split("\r")) if part.strip()), "")
    if "\u00a0" in text or "&" in text:
        text = _SPACE.sub(" ", text)
    if "<std" in text:
        text = _TAG.sub("", text)
    return _BARE_TAG.sub(" ", text) if text.startswith("[") else text
