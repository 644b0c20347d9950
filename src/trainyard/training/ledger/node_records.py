"""Reads how long nodes were paid for, and when they were ready or had failed: what `trainyard nodes` prints as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from trainyard.catalog.instances import find
from trainyard.errors import InputError
from trainyard.training.ledger.allocation import items, moment_ms
from trainyard.training.ledger.attempt import NodeSpan

_HINT = "give what `trainyard nodes check NAME --json` and `trainyard nodes replace … --json` print"
_BAD = ("failed", "held")


class NodeRecords(NamedTuple):
    """Nodes with GPUs, and what of them is not known."""

    spans: tuple[NodeSpan, ...]
    notes: tuple[str, ...]


def node_records(texts: Sequence[tuple[str, str]], now_ms: int) -> NodeRecords:
    """Return the compute nodes that texts, each with its place, tell of. ``now_ms`` is the end of those that are there.

    Raises InputError where a text is of something else.
    """
    nodes: list[Mapping[str, Any]] = []
    replaced: dict[str, Mapping[str, Any]] = {}
    for text, where in texts:
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError("the JSON cannot be read", where=where, hint=_HINT) from None
        if isinstance(data, dict) and "instance_id" in data and "began" in data:
            replaced[str(data["instance_id"])] = data
        elif isinstance(data, dict) and isinstance(data.get("nodes"), list):
            nodes += [*items(data["nodes"]), *({**node, "state": "gone"} for node in items(data.get("gone")))]
        else:
            raise InputError("the JSON has no nodes of a cluster", where=where, hint=_HINT)
    compute = {str(node.get("id")): node for node in nodes if node.get("role") == "compute"}
    spans, without_end = [], 0
    for id_, node in compute.items():
        span = _span(node, replaced.get(id_, {}), now_ms)
        without_end += span is None and _gpus(node) > 0
        spans += [span] if span is not None else []
    notes = []
    if without_end:
        plural = "s" * (without_end != 1)
        notes.append(
            f"{without_end} node{plural} left out whose begin or end nobody knows: no time of theirs is counted"
        )
    return NodeRecords(tuple(sorted(spans, key=lambda span: (span.node, span.launched_ms))), tuple(notes))


def _span(node: Mapping[str, Any], replaced: Mapping[str, Any], now_ms: int) -> NodeSpan | None:
    """Return the span of a node; None where it has no GPUs, or where nobody knows when it was there."""
    gpus = _gpus(node)
    started_ms, seconds = moment_ms(node.get("started")), node.get("seconds")
    launched_ms = moment_ms(node.get("launched")) or started_ms
    ended_ms = moment_ms(replaced.get("ended")) if replaced else now_ms if node.get("state") != "gone" else None
    if not gpus or launched_ms is None or ended_ms is None or ended_ms < launched_ms:
        return None
    known = started_ms is not None and isinstance(seconds, int | float) and 0 <= seconds < 1e9
    settled_ms = min(started_ms + round(1000 * seconds), ended_ms) if known and started_ms and seconds else None
    has_failed = node.get("status") in _BAD
    ready_ms = settled_ms if node.get("status") in {"ready", "deferred", *_BAD} else None
    failed_ms = moment_ms(replaced.get("began")) or (settled_ms if has_failed else None)
    return NodeSpan(str(node.get("hostname") or node.get("id")), gpus, launched_ms, ended_ms, ready_ms, failed_ms)


def _gpus(node: Mapping[str, Any]) -> int:
    facts = find(str(node.get("instance_type")))
    return 0 if facts is None or facts.accelerators is None else facts.accelerators.count
