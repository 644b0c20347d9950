"""What is wrong with the nodes of a cluster, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainyard.deploy.release_notice import command_to_tell
from trainyard.finding import SEVERITIES, Finding
from trainyard.operate.nodes.cluster_nodes import Nodes
from trainyard.operate.nodes.durations import duration, listed
from trainyard.operate.nodes.finding_kinds import finding
from trainyard.operate.nodes.findings_of_counts import counts
from trainyard.operate.nodes.findings_of_gone import failures_of_gone
from trainyard.operate.nodes.node_state import NodeState


def judged(nodes: Nodes) -> Nodes:
    """Return the nodes with what is wrong with them."""
    return replace(nodes, findings=findings(nodes))


def findings(nodes: Nodes) -> tuple[Finding, ...]:
    """Return everything that is wrong, errors first, and otherwise nodes that are there before those that are gone."""
    found = [
        *_of_the_cluster(nodes),
        *(one for node in nodes.there for one in _of_a_node(nodes, node)),
        *counts(nodes),
        *_optional_steps(nodes),
        *_former_release(nodes),
        *failures_of_gone(nodes),
    ]
    return tuple(sorted(found, key=lambda one: SEVERITIES.index(one.severity)))


def _of_the_cluster(nodes: Nodes) -> Iterator[Finding]:
    published = nodes.expected.published
    if published.problem is not None:
        where = nodes.url("release")
        yield finding("release-unreadable", f"the release pointer cannot be read: {published.problem}", file=where)
    elif published.release is None:
        yield finding("nothing-published", f"nothing is published for {nodes.name}, so its nodes write no records")
    if nodes.expected.problem is not None:
        yield finding(
            "spec-not-remembered", f"{nodes.expected.problem}, so nobody knows how many nodes there should be"
        )
    if nodes.unread:
        yield finding("older-records-unread", f"{nodes.unread} older records of instances that are gone were not read")


def _of_a_node(nodes: Nodes, node: NodeState) -> Iterator[Finding]:
    if node.status in ("failed", "held"):
        yield _failed(nodes, node)
    elif node.status == "unreadable":
        why = node.reading.problem if node.reading else ""
        message = f"what {node} wrote cannot be read: {why}"
        yield finding("node-record-unreadable", message, file=nodes.record_url(node))
    elif node.state in ("stopping", "stopped"):
        yield finding("node-not-running", f"{node} ({node.place}) is {node.state}")
    elif node.active and node.status == "unreported":
        yield _never_reported(nodes, node)
    elif node.active and node.status == "running" and nodes.late(node):
        yield _too_slow(nodes, node)


def _failed(nodes: Nodes, node: NodeState) -> Finding:
    logs = f"the ends of its logs lie in {nodes.evidence_url(node)}"
    if node.status == "failed":
        message = f"{node} ({node.place}) failed: {nodes.why_failed(node)}"
        again = "wait, as it tries again every five minutes" if node.role == "monitoring" else "replace the node"
        return finding("node-failed", message, f"correct that and {again}; {logs}", file=nodes.record_url(node))
    message = f"{node} ({node.place}) is held and takes no jobs: {nodes.why_failed(node)}"
    slurm_name = node.hostname.partition(".")[0] or "NODENAME"
    remedy = (
        f"look at it; then run scontrol delete ReservationName=trainyard-hold-{slurm_name} on the head node "
        f"and terminate {node.id}; {logs}"
    )
    return finding("node-held", message, remedy, file=nodes.record_url(node))


def _never_reported(nodes: Nodes, node: NodeState) -> Finding:
    took, most = node.age_s(nodes.now), nodes.timeout_s(node)
    message = f"{node} ({node.place}) has been there for {duration(took)} and has never reported"
    if nodes.late(node):
        return finding("node-never-reported", f"{message}; it had {duration(most)}")
    whoever = "cloud-init" if node.role == "monitoring" else "ParallelCluster"
    remedy = f"wait: nodes report when {whoever} has configured them, and it has {duration(most)}"
    return finding("node-never-reported", message, remedy, severity="info")


def _too_slow(nodes: Nodes, node: NodeState) -> Finding:
    took, most = node.age_s(nodes.now), nodes.timeout_s(node)
    step = f", now in step {node.step.name}" if node.step else ""
    message = f"{node} ({node.place}) has been coming up for {duration(took)}{step}; it had {duration(most)}"
    return finding("node-too-slow", message, file=nodes.record_url(node))


def _optional_steps(nodes: Nodes) -> Iterator[Finding]:
    """Yield one finding a step: what fails on one node mostly fails on all of its kind."""
    failed: dict[str, list[tuple[str, str]]] = {}
    for node in nodes.there:
        for step in node.record.steps if node.record else ():
            if step.status == "failed" and not step.required:
                failed.setdefault(step.name, []).append((str(node), step.message))
    for name, where in failed.items():
        message = f"optional step {name} failed on {listed([node for node, _ in where])}: {where[0][1]}"
        yield finding("optional-step-failed", message.removesuffix(": "))


def _former_release(nodes: Nodes) -> Iterator[Finding]:
    former = [node for node in nodes.there if node.active and nodes.runs_current(node) is False]
    if former:
        which = listed([str(node) for node in former])
        message = f"{which} came up with another release than the published one"
        yield finding("release-not-current", message, "; ".join(_to_tell(nodes, former)))


def _to_tell(nodes: Nodes, former: list[NodeState]) -> Iterator[str]:
    """Yield how nodes get to what is published: those that stay are told, the others come and go."""
    if any(node.role == "monitoring" for node in former):
        yield "wait for the monitoring instance, which looks for releases every five minutes"
    stay = [node.place for node in former if node.role in ("head", "login")]
    if stay:
        command = command_to_tell(nodes.region, nodes.bucket, nodes.name)
        yield f"run on the {' and the '.join(dict.fromkeys(stay))}: {command}"
    if any(node.role == "compute" for node in former):
        yield "replace compute nodes when no jobs run on them"
