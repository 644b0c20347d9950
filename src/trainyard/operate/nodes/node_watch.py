"""The nodes of a cluster, followed until all are ready or one of them has failed for good."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from trainyard.edge.aws.account import Clock
from trainyard.operate.nodes.cluster_nodes import ClusterNodes
from trainyard.operate.nodes.node_state import NodeState

# A look is a few calls whatever the number of nodes; steps take seconds to minutes.
_FIRST_PAUSE_S = 5.0
_LONGEST_PAUSE_S = 30.0
_GROWTH = 1.5
# The runner on the node has tried everything again by then that can be.
_FINAL = {"node-failed", "node-held", "node-never-reported", "node-too-slow"}

Ending = Literal["ready", "failed", "timeout"]


class NodeEvent(NamedTuple):
    """Something that happened to a node."""

    at: float
    """Seconds since 1970, by the clock of the account."""
    node: str
    place: str
    state: str
    status: str
    text: str
    """The step, with what it said where it failed; else empty."""


class WatchResult(NamedTuple):
    """How a watch ended."""

    nodes: ClusterNodes
    """As they were last."""
    ending: Ending
    seconds: float


@dataclass
class _EventReporter:
    """What has been told of each node."""

    by_id: dict[str, tuple[str, str, str]] = field(default_factory=dict)

    def news(self, nodes: ClusterNodes) -> Iterator[NodeEvent]:
        """Yield what is new since the last call. Of nodes that were gone before the first one nothing is told."""
        first = not self.by_id
        for node in (*nodes.present, *nodes.gone):
            now = (node.state, node.status, node.step.name if node.step else "")
            if self.by_id.get(node.id) == now:
                continue
            if node in nodes.present or not first:
                text = _step_text(nodes, node)
                yield NodeEvent(nodes.now, str(node), node.place, node.state, node.status, text)
            self.by_id[node.id] = now
        yield from self._vanished(nodes)

    def _vanished(self, nodes: ClusterNodes) -> Iterator[NodeEvent]:
        """Yield the nodes that are gone without a record."""
        current_ids = {node.id for node in (*nodes.present, *nodes.gone)}
        for id_ in [former_id for former_id in self.by_id if former_id not in current_ids]:
            del self.by_id[id_]
            yield NodeEvent(nodes.now, id_, "", "gone", "unreported", "")


def watch(
    look: Callable[[], ClusterNodes], clock: Clock, timeout_s: float | None, report: Callable[[NodeEvent], None]
) -> WatchResult:
    """Report each change until all nodes are ready, one fails for good, or the time is over.

    Without a timeout, the longest that any node has by the spec. Nodes that failed and were gone before do not end it.
    """
    began, reporter, pause = clock.now(), _EventReporter(), _FIRST_PAUSE_S
    nodes = look()
    before = {node.id for node in nodes.gone}
    ends = began + (max(nodes.expected.timeouts_s.values()) if timeout_s is None else timeout_s)
    while True:
        events = list(reporter.news(nodes))
        for event in events:
            report(event)
        ending = _ending(nodes, before) or ("timeout" if clock.now() >= ends else None)
        if ending is not None:
            return WatchResult(nodes, ending, clock.now() - began)
        pause = _FIRST_PAUSE_S if events else min(pause * _GROWTH, _LONGEST_PAUSE_S)
        clock.sleep(min(pause, max(0.0, ends - clock.now())))
        nodes = look()


def _ending(nodes: ClusterNodes, before: set[str]) -> Ending | None:
    if any(finding.id in _FINAL and finding.severity == "error" for finding in nodes.findings):
        return "failed"
    if any(node.id not in before and node.status in ("failed", "held") for node in nodes.gone):
        return "failed"
    missing = any(finding.id == "nodes-missing" for finding in nodes.findings)
    return "ready" if nodes.ready and not missing else None


def _step_text(nodes: ClusterNodes, node: NodeState) -> str:
    if node.status in ("failed", "held"):
        return nodes.why_failed(node)
    if node.status == "unreadable":
        return (node.reading.problem if node.reading else None) or ""
    return f"step {node.step.name}" if node.step else ""
