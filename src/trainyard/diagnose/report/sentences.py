"""What all reports say in the same words: how many lines, on which nodes, from when to when."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trainyard.counts import count_text
from trainyard.diagnose.cause import causes
from trainyard.foreign_text import one_line, word_or_quoted

_MOST_NODES = 6
_LONGEST_LINE = 400
# How much of a long line is shown before what was found.
_BEFORE = 120
_NUMBERS = re.compile(r"[0-9a-f]*[0-9][0-9a-f]*")
# https://ecma-international.org/publications-and-standards/standards/ecma-48/: a colour within a word tells nobody.
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,40}m")
_GB, _MB, _KB = 1e9, 1e6, 1e3


def occurrence_text(cause: Mapping[str, Any]) -> str:
    """Return where and when a cause was seen, such as: 45 lines on 2 nodes, from … to …."""
    text = count_text(cause["count"], "line")
    if cause["nodes"]:
        text += f" on {count_text(len(cause['nodes']), 'node')}"
    if cause["first_seen"] is None:
        return f"{text}, at a time that {'it does' if cause['count'] == 1 else 'they do'} not tell"
    if cause["last_seen"] == cause["first_seen"]:
        return f"{text}, at {cause['first_seen']}"
    return f"{text}, from {cause['first_seen']} to {cause['last_seen']}"


def depth_sentence(root: Mapping[str, Any]) -> str:
    """Return what is said of a first cause that something deeper usually brings about; empty where nothing does."""
    if root["kind"] == "symptom":
        return "This is a symptom: it says that something failed and not what. No deeper cause is known in these logs."
    cause = causes().get(root["cause"])
    if cause is None or cause.kind == "root":
        return ""
    return "This can be a symptom: what may bring it about was not seen in these logs."


def different_lines(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first of the lines of each node that differ in no more than numbers."""
    first_lines: dict[tuple[str, str], dict[str, Any]] = {}
    for line in lines:
        first_lines.setdefault((line.get("node") or "", _NUMBERS.sub("#", line["text"])), line)
    return list(first_lines.values())


def excerpt(line: Mapping[str, Any]) -> str:
    """Return a line on one line, cut around what was found in it where it is long."""
    text, start = line["text"].strip(), 0
    if len(text) > _LONGEST_LINE and (found := line.get("at")) is not None:
        start = max(0, min(found - _BEFORE, len(text) - _LONGEST_LINE))
    shown = one_line(_COLOURS.sub("", text[start:]))
    cut = shown if len(shown) <= _LONGEST_LINE else f"{shown[:_LONGEST_LINE]}…"
    return f"{'…' if start else ''}{cut}"


def nodes(cause: Mapping[str, Any]) -> str:
    """Return the nodes with the most lines and how many each has; empty where there are none."""
    listed = [f"{word_or_quoted(node)} ({count})" for node, count in list(cause["nodes"].items())[:_MOST_NODES]]
    more = len(cause["nodes"]) - len(listed)
    return ", ".join([*listed, *([f"and {more} more"] if more else [])])


def read(values: Mapping[str, Any]) -> str:
    """Return how much was read."""
    unread = f"; {values['unread_count']:,} not read, or not to the end" if values["unread_count"] else ""
    return f"{count_text(values['files'], 'log')} read, {size(values['size_bytes'])}{unread}"


def not_asked(values: Mapping[str, Any]) -> list[str]:
    """Return what was found and left out because of what was asked for, and which nodes there are."""
    left: Mapping[str, Any] | None = values["not_asked"]
    if left is None:
        return []
    sentences = [*_filter_sentences(left), *_logs_left_out(left, values["files"])]
    if left["by_period"]:
        time = f", the newest is of {left['newest']}" if left["newest"] else ""
        sentences.append(f"{count_text(left['by_period'], 'line')} that signatures know left out by the period{time}")
    if left["asked_nodes"] and left["by_node"]:
        others = ", ".join(map(word_or_quoted, left["nodes"][:_MOST_NODES])) or "none by name"
        more = ", …" if len(left["nodes"]) > _MOST_NODES else ""
        sentences.append(f"{count_text(left['by_node'], 'line')} left out by the node; nodes seen: {others}{more}")
    return sentences


def _filter_sentences(left: Mapping[str, Any]) -> Iterator[str]:
    """Yield what counts: whoever reads the answer later need not know the question."""
    since = f" from {left['since']} on" if left["since"] else ""
    until = f" before {left['until']}" if left["until"] else ""
    of_nodes = f" of {', '.join(left['asked_nodes'][:_MOST_NODES])}" if left["asked_nodes"] else ""
    yield f"only lines{of_nodes}{since}{' and' if since and until else ''}{until} count"


def _logs_left_out(left: Mapping[str, Any], files: int) -> Iterator[str]:
    if left["logs_by_period"] == files > 0:
        none = "the log holds no line" if files == 1 else f"none of {files:,} logs holds a line"
        yield f"{none} of that time"
    elif left["logs_by_period"]:
        yield f"{count_text(left['logs_by_period'], 'log')} of {files:,} without a line of that time"
    if left["logs_by_node"]:
        yield f"{count_text(left['logs_by_node'], 'log')} of other nodes not looked at"


def size(size_bytes: int) -> str:
    """Return a size that a person can read."""
    for unit, of in (("GB", _GB), ("MB", _MB), ("kB", _KB)):
        if size_bytes >= of:
            return f"{size_bytes / of:.1f} {unit}"
    return count_text(size_bytes, "byte")


def nothing_known(values: Mapping[str, Any]) -> str:
    """Return what is said where no cause is known: lines of level error are no good news, nor is a part of the logs."""
    if any(line["is_error"] for line in values["unrecognised"]):
        return "nothing known matched, but lines of level error are"
    is_whole = values["size_bytes"] and not values["unread"] and values["not_asked"] is None
    if values["unrecognised"] or not is_whole:
        return "nothing known matched"
    return "healthy: nothing that looks like an error"


def version_text(stated: Mapping[str, Any]) -> str:
    """Return a version that a log states, such as: NCCL 2.20.5."""
    # Few logs state any.
    from trainyard.catalog.version_conflicts import components  # noqa: PLC0415
    from trainyard.compatibility.version_set import component_named  # noqa: PLC0415

    return f"{components()[component_named(stated['component'])].title} {stated['version']}"


def conflict_text(conflict: Mapping[str, Any]) -> str:
    """Return what versions that must not meet bring about, and what to do."""
    return f"{conflict['explanation']}. What to do: {conflict['remedy']}"
