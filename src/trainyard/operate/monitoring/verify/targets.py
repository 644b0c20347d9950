"""Whether everything that should be scraped is: against EC2's instances where there is an account, else by the spec."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from trainyard.edge.prometheus_api import Labels
from trainyard.finding import Finding
from trainyard.monitoring.exporters import Exporter
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.in_account import InAccount, ScrapedInstance
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.nodes.durations import short_list
from trainyard.platform_table import platform_of

# Discovery looks every minute, and a node is scraped before its bootstrap has started the exporters.
GIVEN_S = 600


def targets(situation: Situation) -> Iterator[Finding]:
    """Yield what does not answer, and what is not scraped."""
    situation.looked_at["targets"] += len(situation.targets)
    yield from _down(situation)
    yield from _missing(situation)


def runs(exporter: Exporter, node_type: str, queue: str) -> bool:
    """Return whether nodes of a type and queue have an exporter."""
    return node_type in exporter.node_types and (exporter.queues is None or queue in exporter.queues)


def place(node_type: str, queue: str) -> str:
    """Return which nodes they are, in words."""
    words = {"HeadNode": "the head node", "LoginNode": "login nodes"}
    return f"queue {queue}" if queue else words.get(node_type, node_type)


def _down(situation: Situation) -> Iterator[Finding]:
    young = _young(situation.account) if situation.account else {}
    down: dict[tuple[str, str, str], list[str]] = {}
    for target in situation.targets:
        if target.value == 0 and target.labels.get("instance_id") not in young:
            down.setdefault(_kind(target.labels), []).append(_name(target.labels))
    for (job, node_type, queue), names in sorted(down.items()):
        message = f"{job} of {place(node_type, queue) or 'the keeper'} does not answer: {short_list(sorted(names))}"
        yield finding("target-down", message)


def _missing(situation: Situation) -> Iterator[Finding]:
    on_nodes = {exporter.job for exporter in situation.exporters}
    if not any(target.labels.get("job") in on_nodes for target in situation.targets):
        yield finding("no-node-discovered", f"Prometheus of {situation.spec.name} scrapes itself and no node")
        return
    yield from _missing_of_instances(situation, situation.account) if situation.account else _missing_by_spec(situation)


def _missing_of_instances(situation: Situation, account: InAccount) -> Iterator[Finding]:
    """Yield one finding for the nodes of a kind that the same exporters are not scraped of."""
    pairs = {(target.labels.get("job"), target.labels.get("instance_id")) for target in situation.targets}
    young = _young(account)
    missing: dict[tuple[str, str, bool], list[str]] = {}
    for instance in account.discoverable:
        jobs_expected = [
            exporter.job for exporter in situation.exporters if runs(exporter, instance.node_type, instance.queue)
        ]
        jobs = ", ".join(job for job in jobs_expected if (job, instance.id) not in pairs)
        if jobs:
            missing.setdefault((jobs, place(instance.node_type, instance.queue), instance.id in young), []).append(
                instance.id
            )
    for (jobs, where, is_young), ids in sorted(missing.items()):
        message = f"{jobs} of {where} {'are' if ',' in jobs else 'is'} not scraped: {short_list(sorted(ids))}"
        if is_young:
            late = f"{message}, launched minutes ago"
            yield finding("target-missing", late, "wait some minutes, or use --wait", severity="info")
        else:
            yield finding("target-missing", message)


def _young(account: InAccount) -> dict[str, ScrapedInstance]:
    return {instance.id: instance for instance in account.discoverable if account.age_s(instance) < GIVEN_S}


def _missing_by_spec(situation: Situation) -> Iterator[Finding]:
    counts = Counter(_kind(target.labels) for target in situation.targets)
    for node_type, queue, least in _least(situation):
        lacking: dict[int, list[str]] = {}
        for exporter in situation.exporters:
            count = counts[exporter.job, node_type, queue]
            if runs(exporter, node_type, queue) and count < least:
                lacking.setdefault(count, []).append(exporter.job)
        for count, jobs in lacking.items():
            where = place(node_type, queue)
            yield finding("target-missing", f"{count} of {least} nodes of {where} are scraped for {', '.join(jobs)}")


def _least(situation: Situation) -> Iterator[tuple[str, str, int]]:
    """Yield the type and queue of nodes, and how many of them always run."""
    spec = situation.spec
    if platform_of(spec).has_head_node:
        yield "HeadNode", "", 1
    logins = sum(pool.count for _, pool in spec.login_pools())
    if logins:
        yield "LoginNode", "", logins
    for queue in spec.queues:
        yield "Compute", queue.name, sum(group.min_nodes for group in spec.groups_in(queue))


def _kind(labels: Labels) -> tuple[str, str, str]:
    return labels.get("job", ""), labels.get("node_type", ""), labels.get("queue", "")


def _name(labels: Labels) -> str:
    return labels.get("node_name") or labels.get("instance", "?")
