"""What went wrong lately on nodes of ParallelCluster: their bootstrap, and what the head node wrote of the fleet."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import streams
from trainyard.edge.aws.log_events import LogEvent, filtered
from trainyard.edge.aws.nodes import Node
from trainyard.operate.nodes.node_query import Look
from trainyard.operate.status.failures import Failure, iso_time, short
from trainyard.platforms.parallelcluster.logs.cluster_logs import groups

_MOST = 5
_MOST_PAGES = 10
_MOST_NAMED = 5
_LATELY_MS = 86_400_000
# What the head node writes of its fleet and of itself, one JSON a line.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html
_EVENTS = ("clustermgtd_events", "slurm_resume_events", "bootstrap_error_msg")
_BAD = ("WARNING", "ERROR", "CRITICAL")
_PATTERN = f"%{'|'.join(_BAD)}%"


def of_nodes(account: Account, bucket: str, name: str) -> tuple[Failure, ...]:
    """Return what nodes wrote of a bootstrap that failed: only of clusters that trainyard made."""
    findings = Look(account, bucket, name).look().findings
    return tuple(Failure(None, "nodes", short(one.message)) for one in findings if one.severity == "error")[:_MOST]


def of_fleet(account: Account, name: str, head: Node | None) -> tuple[Failure, ...]:
    """Return what the head node wrote in the last day of nodes that failed to launch or to come up."""
    group = next(iter(groups(account, name)), None)
    if group is None or head is None or head.private_address is None:
        return ()
    # Its host name is made of its address, unless the VPC gives other names.
    beginning = f"ip-{head.private_address.replace('.', '-')}.{head.id}."
    known = streams(account, group.name, beginning, most_pages=1).streams
    names = [log_stream.name for log_stream in known if log_stream.name.removeprefix(beginning) in _EVENTS]
    if not names:
        return ()
    since_ms = int(account.clock.now() * 1000) - _LATELY_MS
    pages = filtered(account, group.name, names, since_ms, pattern=_PATTERN, most_pages=_MOST_PAGES)
    return _summed(event for page in pages for event in page)


def _summed(events: Iterable[LogEvent]) -> tuple[Failure, ...]:
    """Return events that say the same as one, with the last of their details; the last first."""
    found: dict[tuple[str, str], Failure] = {}
    for event in events:
        if (read := _read(event)) is None:
            continue
        kind, what = read
        place = event.stream.rpartition(".")[2]
        before = found.pop((place, kind), None)
        found[place, kind] = Failure(
            iso_time(event.at_ms / 1000), place, short(what), before.times + 1 if before else 1
        )
    return tuple(found.values())[::-1][:_MOST]


def _read(event: LogEvent) -> tuple[str, str] | None:
    """Return what kind of event it is, and what it says; None where it is nothing bad."""
    try:
        said = json.loads(event.message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get("level") not in _BAD:
        return None
    kind = str(said.get("event-type", ""))
    return kind, f"{said.get('message', kind)}{_details(said.get('detail'))}"


def _details(detail: Any) -> str:
    """Return what an event counts, and the codes and nodes that it names."""
    if not isinstance(detail, dict):
        return ""
    errors, nodes = detail.get("error-details"), detail.get("nodes")
    named = [str(detail["failure-type"])] if detail.get("failure-type") else []
    named += list(errors) if isinstance(errors, dict) else []
    named += (
        [str(node["name"]) for node in nodes if isinstance(node, dict) and "name" in node]
        if isinstance(nodes, list)
        else []
    )
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    count = f": {detail['count']}" if isinstance(detail.get("count"), int) else ""
    return f"{count} ({', '.join(named[:_MOST_NAMED])}{more})" if named else count
