"""How nodes are printed: a table, what is wrong below it, and the same as values for JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from trainyard.cli.output import print_text, severity_counts, styled
from trainyard.counts import count_text
from trainyard.foreign_text import one_line, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainyard.deploy.node_record import StepRecord
    from trainyard.finding import Finding
    from trainyard.operate.nodes.cluster_nodes import ClusterNodes
    from trainyard.operate.nodes.node_state import NodeState
    from trainyard.operate.nodes.topology import ClusterTopology, NetworkPlace

_HEADER = ("NODE", "INSTANCE", "ROLE", "STATE", "BOOTSTRAP", "SECONDS", "RELEASE", "STEP")
_TOPOLOGY_HEADER = ("ID", "TYPE", "QUEUE", "ZONE", "NETWORK NODES, THE TOP LAYER FIRST")
_LONGEST_STEP = 100
_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def print_nodes(nodes: ClusterNodes) -> None:
    """Print the table, the steps where one node was asked for, and what is wrong."""
    shown = (*nodes.present, *(nodes.gone if nodes.only_node else ()))
    _print_table([_HEADER, *(_row(nodes, node) for node in shown)])
    for node in shown if nodes.only_node else ():
        for step in node.record.steps if node.record else ():
            print_text(_step_line(node, step))
    for finding in nodes.findings:
        print_text(_finding_line(finding))
    ready = sum(node.ready for node in nodes.present)
    print_text(
        f"{nodes.name} in {nodes.region}: {ready} of {count_text(len(nodes.present), 'node')} ready, "
        f"{severity_counts(nodes.findings)}"
    )


def print_topology(topology: ClusterTopology) -> None:
    """Print where instances and reservations are, and how near that is."""
    for places in (topology.instances, topology.reservations):
        told = [place for place in places if place.network_nodes]
        if told:
            _print_table([_TOPOLOGY_HEADER, *map(_topology_row, told)])
    for place in (place for place in topology.reservations if not place.network_nodes):
        print_text(f"{place.id}: EC2 does not say yet where it is")
    running = len(topology.instances)
    if running:
        located = f"{running - len(topology.untold)} of {count_text(running, 'running instance')}"
        print_text(f"{topology.name} in {topology.region}: {located} {_under(topology)}")
    if topology.untold:
        types = sorted({place.instance_type for place in topology.untold})
        print_text(f"of {', '.join(types)} EC2 does not say where they are")


def _under(topology: ClusterTopology) -> str:
    spines, switches = topology.spines, topology.switches
    return f"under {count_text(spines, 'spine')} and {count_text(switches, 'switch', 'switches')}"


def _topology_row(place: NetworkPlace) -> tuple[str, ...]:
    return (place.id, place.instance_type, place.queue or "-", place.zone, " > ".join(place.network_nodes))


def topology_values(topology: ClusterTopology) -> dict[str, Any]:
    """Return it for JSON."""
    return {
        "name": topology.name,
        "region": topology.region,
        "spines": topology.spines,
        "switches": topology.switches,
        "instances": [place._asdict() for place in topology.instances],
        "reservations": [place._asdict() for place in topology.reservations],
    }


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    safe = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    for row in safe:
        print_text("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip())


def _row(nodes: ClusterNodes, node: NodeState) -> tuple[str, ...]:
    seconds = node.seconds(nodes.now)
    took = "-" if seconds is None else f"{seconds:.0f}"
    return (
        node.hostname or "-", node.id, node.place, node.state, node.status, took,
        _release(nodes, node), _step(nodes, node),
    )  # fmt: skip


def _release(nodes: ClusterNodes, node: NodeState) -> str:
    if node.record is None or node.record.release is None:
        return "-"
    return "current" if nodes.runs_current(node) else node.record.release[:12]


def _step(nodes: ClusterNodes, node: NodeState) -> str:
    if node.status == "unreadable" and node.reading:
        return f"record: {node.reading.problem}"
    if node.step is None:
        return nodes.why_failed(node) if node.status in ("failed", "held") else "-"
    return node.step.name + (f": {quoted(node.step.message, _LONGEST_STEP)}" if node.step.message else "")


def _step_line(node: NodeState, step: StepRecord) -> str:
    seconds = "" if step.seconds is None else f"{step.seconds:.1f} s"
    attempts = f", {step.attempts} attempts" if (step.attempts or 0) > 1 else ""
    kind = "" if step.required else " (optional)"
    message = f"  {quoted(step.message)}" if step.message else ""
    return f"  {node.id}  {step.name:<18} {step.status:<8} {seconds:>9}{attempts}{kind}{message}"


def _finding_line(finding: Finding) -> str:
    severity = styled(finding.severity, fg=_COLOURS[finding.severity], bold=True)
    where = f"{finding.path}: " if finding.path else ""
    words = f"{where}{finding.message}{f'; {finding.remedy}' if finding.remedy else ''}"
    return f"{severity}: {words} {styled(f'[{finding.id}]', dim=True)}"


def nodes_values(nodes: ClusterNodes) -> dict[str, Any]:
    """Return the nodes as values for JSON."""
    return {
        "name": nodes.name,
        "region": nodes.region,
        "ok": nodes.ok,
        "ready": nodes.ready,
        "release": nodes.expected.published.release,
        "nodes": [_values(nodes, node) for node in nodes.present],
        "gone": [_values(nodes, node) for node in nodes.gone],
        "findings": [finding.as_json() for finding in nodes.findings],
    }


def _values(nodes: ClusterNodes, node: NodeState) -> dict[str, Any]:
    record, seconds = node.record, node.seconds(nodes.now)
    return {
        "id": node.id,
        "hostname": node.hostname or None,
        "role": node.role,
        "group": node.group,
        "compute_resource": node.compute_resource,
        "instance_type": node.instance_type or None,
        "state": node.state,
        "launched": _time(node.launched),
        "status": node.status,
        "ready": node.ready,
        "step": node.step.name if node.step else None,
        "message": ((node.step.message if node.step else "") or (record.message if record else "")) or None,
        "started": _time(record.started if record else None),
        "seconds": None if seconds is None else round(seconds, 1),
        "release": record.release if record else None,
        "release_is_current": nodes.runs_current(node),
        "steps": [_step_values(step) for step in record.steps] if record else [],
    }


def _step_values(step: StepRecord) -> dict[str, Any]:
    return {
        "name": step.name,
        "status": step.status,
        "required": step.required,
        "deferred": step.deferred,
        "attempts": step.attempts,
        "started": _time(step.started),
        "seconds": step.seconds,
        "exit_status": step.exit_status,
        "message": step.message or None,
    }


def _time(moment: float | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
