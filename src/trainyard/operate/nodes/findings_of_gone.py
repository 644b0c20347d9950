"""What became of nodes that are gone: the evidence that survived them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Finding
from trainyard.operate.nodes.cluster_nodes import Nodes
from trainyard.operate.nodes.durations import duration, listed
from trainyard.operate.nodes.finding_kinds import finding
from trainyard.operate.nodes.node_state import NodeState

_MOST = 10


def failures_of_gone(nodes: Nodes) -> Iterator[Finding]:
    """Yield the last failures of nodes that are gone, the newest first, and one finding for records that are none."""
    failed = [node for node in nodes.gone if node.status in ("failed", "held")]
    for node in failed[:_MOST]:
        yield _failure(nodes, node)
    if older := failed[_MOST:]:
        message = f"{len(older)} more nodes failed before those and are gone"
        yield finding("failed-node-gone", message, "add --json to see all of them", severity="warning")
    if broken := [node.id for node in nodes.gone if node.status == "unreadable"]:
        message = f"what {listed(broken)} wrote before they were gone cannot be read"
        yield finding("node-record-unreadable", message, severity="warning", file=nodes.url("nodes/"))


def _failure(nodes: Nodes, node: NodeState) -> Finding:
    ago = f" {duration(max(0.0, nodes.now - node.reading.written))} ago" if node.reading else ""
    message = f"{node} ({node.place}) failed{ago} and is gone: {nodes.why_failed(node)}"
    remedy = f"the ends of its logs lie in {nodes.evidence_url(node)}"
    answer = _answer(nodes, node)
    if answer is None:
        remedy = f"correct that; no such node has come up since; {remedy}"
    return finding(
        "failed-node-gone", message if answer is None else f"{message}; {answer}", remedy,
        severity="error" if answer is None else "warning", file=nodes.record_url(node),
    )  # fmt: skip


def _answer(nodes: Nodes, failed: NodeState) -> str | None:
    """Return why a failure need not worry anybody any more; None while it does."""
    if nodes.runs_current(failed) is False:
        return "another release has been published since"
    for node in (*nodes.there, *nodes.gone):
        later = (node.began or 0.0) > (failed.began or 0.0)
        # What a login node writes does not name its pool.
        alike = node.role == failed.role and (node.role == "login" or node.group == failed.group)
        if later and alike and node.record is not None and node.record.usable:
            return f"{node} has come up since"
    return None
