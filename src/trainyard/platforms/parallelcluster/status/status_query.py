"""Looks at a cluster of ParallelCluster: its instances, its fleet, and what its configuration asks for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from trainyard.deploy.record import Deployment
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.cluster_logs import streams
from trainyard.edge.aws.log_events import LogEvent, filter_events
from trainyard.edge.aws.nodes import ClusterNode, nodes
from trainyard.edge.aws.parallelcluster import cluster_config, config_of, fleet_status
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.edge.aws.stacks import StackState
from trainyard.errors import TrainyardError
from trainyard.operate.nodes.node_query import Look
from trainyard.operate.slurm.slurm_state import SlurmState, slurm_state
from trainyard.operate.status import file_systems
from trainyard.operate.status.cluster_stacks import stacks_of_cluster
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.failures import Failure, iso_time, of_stacks, short
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.reservations import reservations
from trainyard.operate.status.status_request import StatusRequest
from trainyard.platforms.parallelcluster.deployment.drift import config_drift
from trainyard.platforms.parallelcluster.logs.cluster_logs import groups
from trainyard.platforms.parallelcluster.status.cluster_status import ParallelClusterStatus, head_node
from trainyard.platforms.parallelcluster.status.queues import compute_resources, mounts

# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_VERSION = "parallelcluster:version"
_MOST = 5
_MOST_PAGES = 10
_MOST_NAMED = 5
_LATELY_MS = 86_400_000
# What the head node writes of its fleet and of itself, one JSON a line.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html
_EVENTS = ("clustermgtd_events", "slurm_resume_events", "bootstrap_error_msg")
_BAD = ("WARNING", "ERROR", "CRITICAL")
_PATTERN = f"%{'|'.join(_BAD)}%"
# A status is not worth minutes where the agent of the head node is gone.
_SOON_S = 30


class ParallelClusterQuery:
    """A look at one cluster."""

    def __init__(self, request: StatusRequest) -> None:
        """Ask at once what needs no other answer."""
        self.request = request
        self._nodes = request.ask("nodes", partial(nodes, request.account, request.name))
        self._fleet = request.ask("fleet", partial(fleet_status, request.account, request.name))
        self._config = request.ask("queues", partial(cluster_config, request.account, request.name))

    def own_stacks(self, stacks: Sequence[StackState]) -> tuple[StackState, ...]:
        """Return those of all stacks that are the cluster's."""
        return stacks_of_cluster(stacks, self.request.name)

    def owns(self, stacks: Sequence[StackState]) -> bool:
        """Return whether ParallelCluster has made one of the stacks."""
        return any(_VERSION in stack.tags for stack in stacks)

    def exists(self, stacks: Sequence[StackState]) -> bool:  # noqa: ARG002  part of the protocol
        """Return whether there are instances of such a cluster."""
        return bool(self._nodes())

    def look(self, status: Status, bucket: str) -> Status:
        """Return the status with all that is told of the cluster but its monitoring and what is wrong."""
        request, account, name = self.request, self.request.account, status.name
        instances = tuple(self._nodes() or ())
        head = head_node(instances)
        slurm_asked = None
        if head is not None and head.state == "running":
            slurm_asked = request.ask(
                "Slurm", partial(slurm_state, SsmSlurm(account, head.id, delivery_s=_SOON_S, running_s=_SOON_S))
            )
        drift = request.ask("changes of cluster.yaml", partial(config_drift, account, status.record))
        fleet, config = self._fleet(), self._config() or _recorded_config(status.record)
        queues = compute_resources(config, instances)
        reserving = [(queue.queue, queue.reservation) for queue in queues if queue.reservation is not None]
        reserved = request.ask("reservations", partial(reservations, account, reserving))
        storage = file_systems.ask(request, mounts(config), with_volumes=True)
        failed = [request.ask("failures of stacks", partial(of_stacks, account, status.stacks))]
        failed.append(request.ask("failures of the fleet", partial(of_fleet, account, name, head)))
        if status.is_made_by_trainyard:
            failed.append(request.ask("failures of nodes", partial(of_nodes, account, bucket, name)))
        state = None if slurm_asked is None else slurm_asked()
        idle = None if state is None else idle_instances(state, instances)
        return replace(
            status,
            nodes=instances,
            platform=ParallelClusterStatus(fleet, queues, state),
            cost=node_hours(instances, status.region, status.at),
            idle=None if idle is None else node_hours(idle, status.region, status.at),
            reservations=reserved() or (),
            drift=drift() or (),
            file_systems=storage(),
            failures=tuple(failure for answer in failed for failure in answer() or ()),
        )


def idle_instances(slurm: SlurmState, instances: Iterable[ClusterNode]) -> tuple[ClusterNode, ...]:
    """Return the instances of nodes that have power and no job, whatever keeps jobs away."""
    addresses = {node.address for node in slurm.nodes if node.has_power and not node.has_jobs}
    return tuple(instance for instance in instances if instance.private_address in addresses)


def _recorded_config(record: Deployment | None) -> Mapping[str, Any] | None:
    """Return the configuration that ParallelCluster was given, as the record of the deployment has it."""
    if record is None or record.cluster_config is None:
        return None
    try:
        return config_of(record.cluster_config, f"the deployment of {record.name}")
    except TrainyardError:
        return None


def of_nodes(account: Account, bucket: str, name: str) -> tuple[Failure, ...]:
    """Return what nodes wrote of a bootstrap that failed: only of clusters that trainyard made."""
    findings = Look(account, bucket, name).look().findings
    return tuple(Failure(None, "nodes", short(finding.message)) for finding in findings if finding.severity == "error")[
        :_MOST
    ]


def of_fleet(account: Account, name: str, head: ClusterNode | None) -> tuple[Failure, ...]:
    """Return what the head node wrote in the last day of nodes that failed to launch or to come up."""
    group = next(iter(groups(account, name)), None)
    if group is None or head is None or head.private_address is None:
        return ()
    # Its host name is made of its address, unless the VPC gives other names.
    beginning = f"ip-{head.private_address.replace('.', '-')}.{head.id}."
    listing = streams(account, group.name, beginning, most_pages=1).streams
    names = [log_stream.name for log_stream in listing if log_stream.name.removeprefix(beginning) in _EVENTS]
    if not names:
        return ()
    since_ms = int(account.clock.now() * 1000) - _LATELY_MS
    pages = filter_events(account, group.name, names, since_ms, pattern=_PATTERN, most_pages=_MOST_PAGES)
    return _summed(event for page in pages for event in page)


def _summed(events: Iterable[LogEvent]) -> tuple[Failure, ...]:
    """Return events that say the same as one, with the last of their details; the last first."""
    failures: dict[tuple[str, str], Failure] = {}
    for event in events:
        if (read := _read(event)) is None:
            continue
        kind, what = read
        place = event.stream.rpartition(".")[2]
        before = failures.pop((place, kind), None)
        failures[place, kind] = Failure(
            iso_time(event.at_ms / 1000), place, short(what), before.times + 1 if before else 1
        )
    return tuple(failures.values())[::-1][:_MOST]


def _read(event: LogEvent) -> tuple[str, str] | None:
    """Return what kind of event it is, and what it says; None where it is nothing bad."""
    try:
        event_body = json.loads(event.message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event_body, dict) or event_body.get("level") not in _BAD:
        return None
    kind = str(event_body.get("event-type", ""))
    return kind, f"{event_body.get('message', kind)}{_details(event_body.get('detail'))}"


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
