"""What is wrong with the nodes of a cluster, the worst first: how many there are, their state, why some are gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from trainyard.counts import count_text
from trainyard.deploy.release_notice import command_to_tell
from trainyard.finding import SEVERITIES, Finding
from trainyard.foreign_text import quoted
from trainyard.operate.nodes.cluster_nodes import ClusterNodes
from trainyard.operate.nodes.durations import duration, short_list
from trainyard.operate.nodes.expected_nodes import Group
from trainyard.operate.nodes.finding_kinds import finding
from trainyard.operate.nodes.host_history import hosts_of
from trainyard.operate.nodes.node_state import NodeState

_MOST = 10


def with_findings(nodes: ClusterNodes) -> ClusterNodes:
    """Return the nodes with what is wrong with them."""
    return replace(nodes, findings=findings(nodes))


def findings(nodes: ClusterNodes) -> tuple[Finding, ...]:
    """Return everything that is wrong, errors first, and otherwise nodes that are there before those that are gone."""
    all_findings = [
        *_of_the_cluster(nodes),
        *(node_finding for node in nodes.present for node_finding in _of_a_node(nodes, node)),
        *counts(nodes),
        *_optional_steps(nodes),
        *_former_release(nodes),
        *_former_places(nodes),
        *_returned_hosts(nodes),
        *failures_of_gone(nodes),
    ]
    return tuple(sorted(all_findings, key=lambda node_finding: SEVERITIES.index(node_finding.severity)))


def counts(nodes: ClusterNodes) -> Iterator[Finding]:
    """Yield what is missing, what is too much, and what the spec does not have at all."""
    if nodes.only_node:
        return
    for group in nodes.groups:
        active = [node for node in nodes.present if node.active and node.of(group)]
        always = [node for node in active if not _dynamic(node, group)]
        if len(always) < group.least:
            remedy = "the deployment has not ended yet" if nodes.deploying else None
            message = f"{len(always)} of {group.least} nodes are there of {_words(group)}"
            yield finding("nodes-missing", message, remedy, path=group.path)
        elif len(active) > group.most:
            number = count_text(len(active), "node is", "nodes are")
            message = f"{number} there of {_words(group)}, which has {group.most} at most"
            yield finding("nodes-beyond-spec", message, path=group.path)
    if nodes.expected.problem is None:
        for node in nodes.present:
            if node.active and not any(node.of(group) for group in nodes.groups):
                yield finding("node-not-in-spec", f"the spec as deployed has no {_kind(node)}, to which {node} belongs")


def failures_of_gone(nodes: ClusterNodes) -> Iterator[Finding]:
    """Yield the last failures of nodes that are gone, the newest first, and one finding for records that are none."""
    failed = [node for node in nodes.gone if node.status in ("failed", "held")]
    for node in failed[:_MOST]:
        yield _failure(nodes, node)
    if older := failed[_MOST:]:
        message = f"{count_text(len(older), 'more node')} of those that are gone failed before"
        yield finding("failed-node-gone", message, "add --json to see all of them", severity="warning")
    if broken := [node.id for node in nodes.gone if node.status == "unreadable"]:
        message = f"what {short_list(broken)} wrote before they were gone cannot be used"
        yield finding("node-record-unreadable", message, severity="warning", file=nodes.url("nodes/"))


def _of_the_cluster(nodes: ClusterNodes) -> Iterator[Finding]:
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


def _of_a_node(nodes: ClusterNodes, node: NodeState) -> Iterator[Finding]:
    if node.status in ("failed", "held"):
        yield _failed(nodes, node)
    elif node.status == "unreadable":
        why = node.reading.problem if node.reading else ""
        message = f"the record of {node} cannot be used: {why}"
        yield finding("node-record-unreadable", message, file=nodes.record_url(node))
    elif node.state in ("stopping", "stopped"):
        yield finding("node-not-running", f"{node} ({node.place}) is {node.state}")
    elif node.active and node.status == "unreported":
        yield _never_reported(nodes, node)
    elif node.active and node.status == "running" and nodes.late(node):
        yield _too_slow(nodes, node)


def _failed(nodes: ClusterNodes, node: NodeState) -> Finding:
    logs = f"the ends of its logs lie in {nodes.evidence_url(node)}"
    if node.status == "failed":
        message = f"{node} ({node.place}) failed: {nodes.why_failed(node)}"
        again = "wait, as it tries again every five minutes" if node.role == "monitoring" else "replace the node"
        return finding("node-failed", message, f"correct that and {again}; {logs}", file=nodes.record_url(node))
    message = f"{node} ({node.place}) is held and takes no jobs: {nodes.why_failed(node)}"
    slurm_name = node.hostname.partition(".")[0] or "NODENAME"
    remedy = (
        f"look at it; then `trainyard nodes replace {nodes.name} {slurm_name} --region {nodes.region} --reason TEXT` "
        f"keeps evidence and proves its successor; or give it back as it is: run "
        f"scontrol delete ReservationName=trainyard-hold-{slurm_name} on the head node; {logs}"
    )
    return finding("node-held", message, remedy, file=nodes.record_url(node))


def _never_reported(nodes: ClusterNodes, node: NodeState) -> Finding:
    took, most = node.age_s(nodes.now), nodes.timeout_s(node)
    message = f"{node} ({node.place}) has been there for {duration(took)} and has never reported"
    if nodes.late(node):
        return finding("node-never-reported", f"{message}; it had {duration(most)}")
    whoever = "cloud-init" if node.role == "monitoring" else "ParallelCluster"
    remedy = f"wait: nodes report when {whoever} has configured them, and it has {duration(most)}"
    return finding("node-never-reported", message, remedy, severity="info")


def _too_slow(nodes: ClusterNodes, node: NodeState) -> Finding:
    took, most = node.age_s(nodes.now), nodes.timeout_s(node)
    step = f", now in step {node.step.name}" if node.step else ""
    message = f"{node} ({node.place}) has been coming up for {duration(took)}{step}; it had {duration(most)}"
    return finding("node-too-slow", message, file=nodes.record_url(node))


def _optional_steps(nodes: ClusterNodes) -> Iterator[Finding]:
    """Yield one finding a step: what fails on one node mostly fails on all of its kind."""
    failed: dict[str, list[tuple[str, str]]] = {}
    for node in nodes.present:
        for step in node.record.steps if node.record else ():
            if step.status == "failed" and not step.required:
                failed.setdefault(step.name, []).append((str(node), step.message))
    for name, where in failed.items():
        words = f"; the first says {quoted(where[0][1])}" if where[0][1] else ""
        message = f"optional step {name} failed on {short_list([node for node, _ in where])}{words}"
        yield finding("optional-step-failed", message)


def _former_release(nodes: ClusterNodes) -> Iterator[Finding]:
    former = [node for node in nodes.present if node.active and nodes.runs_current(node) is False]
    if former:
        which = short_list([str(node) for node in former])
        message = f"{which} came up with another release than the published one"
        yield finding("release-not-current", message, "; ".join(_to_tell(nodes, former)))


def _former_places(nodes: ClusterNodes) -> Iterator[Finding]:
    """Yield the nodes whose records any node could have written."""
    former = [str(node) for node in (*nodes.present, *nodes.gone) if node.reading and node.reading.former]
    if former:
        message = f"what {short_list(former)} reported lies where older releases let every node write"
        yield finding("record-of-older-release", message)


def _to_tell(nodes: ClusterNodes, former: list[NodeState]) -> Iterator[str]:
    """Yield how nodes get to what is published: those that stay are told, the others come and go."""
    if any(node.role == "monitoring" for node in former):
        yield "wait for the monitoring instance, which looks for releases every five minutes"
    stay = [node.place for node in former if node.role in ("head", "login")]
    if stay:
        command = command_to_tell(nodes.region, nodes.bucket, nodes.name)
        yield f"run on the {' and the '.join(dict.fromkeys(stay))}: {command}"
    if any(node.role == "compute" for node in former):
        yield "replace compute nodes when no jobs run on them"


def _returned_hosts(nodes: ClusterNodes) -> Iterator[Finding]:
    """Yield the hosts that are there again after trouble, as far as records of bootstraps tell it."""
    for host in hosts_of((*nodes.present, *nodes.gone), (), {}):
        if host.returned:
            bad = [stay.instance_id for stay in host.stays[:-1] if stay.is_bad]
            node = host.stays[-1]
            message = (
                f"{node.node or node.instance_id} ({node.instance_id}) has the GPUs of {short_list(bad)}, which failed"
            )
            yield finding("host-returned", message, f"see `trainyard nodes history {nodes.name}`")


def _dynamic(node: NodeState, group: Group) -> bool:
    """Return whether it runs for as long as jobs want it: ParallelCluster puts dy into the name of such a node.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
    """
    return node.hostname.startswith(f"{group.name}-dy-{group.compute_resource}-")


def _words(group: Group) -> str:
    if group.role == "compute":
        return f"queue {group.name}, compute resource {group.compute_resource}"
    others = {"login": f"login pool {group.name}", "monitoring": "the monitoring instance"}
    return others.get(group.role, "the head node")


def _kind(node: NodeState) -> str:
    return f"{node.place}, compute resource {node.compute_resource}" if node.role == "compute" else node.place


def _failure(nodes: ClusterNodes, node: NodeState) -> Finding:
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


def _answer(nodes: ClusterNodes, failed: NodeState) -> str | None:
    """Return why a failure need not worry anybody any more; None while it does."""
    if nodes.runs_current(failed) is False:
        return "another release has been published since"
    for node in (*nodes.present, *nodes.gone):
        later = (node.began or 0.0) > (failed.began or 0.0)
        # What a login node writes does not name its pool.
        alike = node.role == failed.role and (node.role == "login" or node.group == failed.group)
        if later and alike and node.record is not None and node.record.usable:
            return f"{node} has come up since"
    return None
