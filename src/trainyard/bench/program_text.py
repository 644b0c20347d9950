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
# CloudWatch Logs, its Insights, Docker's json-file, journald and loggers in JSON; and logfmt.
_FIELD = re.compile(
    r'(?:"(?:message|@message|value|log|msg|MESSAGE|line)"\s*:\s*|\b(?:msg|message)=)("(?:[^"\\]|\\.)*")'
)


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
