"""Looks at a cluster of ParallelCluster: its instances, its fleet, and what its configuration asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from trainyard.deploy.record import Deployment
from trainyard.edge.aws.nodes import nodes
from trainyard.edge.aws.parallelcluster import cluster_config, config_of, fleet_status
from trainyard.edge.aws.stacks import StackState
from trainyard.errors import TrainyardError
from trainyard.operate.status import file_systems
from trainyard.operate.status.cluster_stacks import stacks_of_cluster
from trainyard.operate.status.cluster_status import Status
from trainyard.operate.status.failures import of_stacks
from trainyard.operate.status.node_hours import node_hours
from trainyard.operate.status.reservations import reservations
from trainyard.operate.status.status_request import StatusRequest
from trainyard.platforms.parallelcluster.status.cluster_status import ParallelClusterStatus, head_node
from trainyard.platforms.parallelcluster.status.failures import of_fleet, of_nodes
from trainyard.platforms.parallelcluster.status.queues import compute_resources, mounts

# https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html
_VERSION = "parallelcluster:version"


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
        fleet, config = self._fleet(), self._config() or _recorded_config(status.record)
        queues = compute_resources(config, instances)
        reserving = [(queue.queue, queue.reservation) for queue in queues if queue.reservation is not None]
        reserved = request.ask("reservations", partial(reservations, account, reserving))
        storage = file_systems.ask(request, mounts(config), with_volumes=True)
        failed = [request.ask("failures of stacks", partial(of_stacks, account, status.stacks))]
        failed.append(request.ask("failures of the fleet", partial(of_fleet, account, name, head_node(instances))))
        if status.is_made_by_trainyard:
            failed.append(request.ask("failures of nodes", partial(of_nodes, account, bucket, name)))
        return replace(
            status,
            nodes=instances,
            platform=ParallelClusterStatus(fleet, queues),
            cost=node_hours(instances, status.region, status.at),
            reservations=reserved() or (),
            file_systems=storage(),
            failures=tuple(failure for answer in failed for failure in answer() or ()),
        )


def _recorded_config(record: Deployment | None) -> Mapping[str, Any] | None:
    """Return the configuration that ParallelCluster was given, as the record of the deployment has it."""
    if record is None or record.cluster_config is None:
        return None
    try:
        return config_of(record.cluster_config, f"the deployment of {record.name}")
    except TrainyardError:
        return None
