"""What a cluster of ParallelCluster has beside other clusters: its head node, its fleet and its queues."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from shlex import join
from typing import Any

from trainyard.edge.aws.nodes import ClusterNode
from trainyard.edge.aws.parallelcluster import FleetStatus
from trainyard.operate.slurm.slurm_output import slurm_lines, slurm_values
from trainyard.operate.slurm.slurm_state import SlurmState
from trainyard.operate.status.cluster_status import Concern, Status
from trainyard.platforms.parallelcluster.status.queues import ComputeResourceStatus

# https://docs.aws.amazon.com/parallelcluster/latest/ug/pcluster.describe-compute-fleet-v3.html
_STOPPED = {"STOP_REQUESTED", "STOPPING", "STOPPED"}


@dataclass(frozen=True, slots=True)
class ParallelClusterStatus:
    """The fleet and the queues, judged and told."""

    fleet: FleetStatus | None = None
    """None where no head node has written any."""
    queues: tuple[ComputeResourceStatus, ...] = ()
    slurm: SlurmState | None = None
    """None where the head node does not tell."""

    @property
    def essential_parts(self) -> tuple[str, ...]:
        """The parts without which nobody can say whether the cluster is up."""
        return "stacks", "nodes"

    @property
    def watch_words(self) -> tuple[str, ...]:
        """The words of the command that follows how its nodes come up."""
        return "nodes", "watch"

    @property
    def has_nodes(self) -> bool:
        """It has nodes for jobs."""
        return True

    def version_note(self, status: Status) -> str:
        """Return ParallelCluster with its version; empty where none is recorded."""
        version = None if status.record is None else status.record.parallelcluster_version
        return "" if version is None else f"ParallelCluster {version}"

    def concerns(self, status: Status, *, broken: bool) -> Iterator[Concern]:
        """Yield what is wrong with the head node, the fleet and the queues."""
        yield from _of_head_node(status, broken=broken)
        if self.fleet is not None:
            yield from _of_fleet(status, self.fleet)
        if self.fleet is None or self.fleet.status == "RUNNING":
            yield from _of_queues(status, self.queues)

    def lines(self, status: Status) -> Iterator[str]:
        """Yield the lines of the head node, the fleet, the queues, and nodes of no queue that is known."""
        if (head := head_node(status.nodes)) is not None:
            public = f" ({head.public_address})" if head.public_address else ""
            address = f"{head.private_address or 'no address'}{public}"
            yield f"  head node {head.id} {head.instance_type} {head.state} {address} in {head.zone}"
        if self.fleet is not None:
            yield f"  fleet {self.fleet.status}{f' since {self.fleet.since}' if self.fleet.since else ''}"
        for resource in self.queues:
            yield _queue_line(resource)
            if self.slurm is not None and (states := _states_in_slurm(resource, self.slurm)):
                yield f"    in Slurm: {states}"
        queues = {resource.queue for resource in self.queues}
        for (role, queue, state), count in status.node_counts().items():
            if role != "HeadNode" and queue not in queues:
                yield f"  {count} × {role}{f' of queue {queue}' if queue else ''} {state}"
        if self.slurm is not None:
            yield from slurm_lines(self.slurm)

    def other_costs(self) -> tuple[str, ...]:
        """Return nothing: ParallelCluster itself costs nothing."""
        return ()

    def values(self, status: Status) -> dict[str, Any]:
        """Return them as values for JSON."""
        return {
            "parallelcluster_version": status.record.parallelcluster_version if status.record else None,
            "fleet": None if self.fleet is None else self.fleet._asdict(),
            "queues": [{**resource._asdict(), "states": dict(resource.states)} for resource in self.queues],
            "slurm": None if self.slurm is None else slurm_values(self.slurm),
        }


def head_node(nodes: tuple[ClusterNode, ...]) -> ClusterNode | None:
    """Return the head node, or what is left of it."""
    return next((node for node in nodes if node.role == "HeadNode"), None)


def _of_head_node(status: Status, *, broken: bool) -> Iterator[Concern]:
    if not status.has_own_stack(status.name):
        yield Concern("error", "the cluster itself is not there", status.command("logs"))
    elif "nodes" not in status.unknown and not broken:
        head = head_node(status.nodes)
        if head is None:
            yield Concern("error", "no head node runs: there is none", status.command("diagnose"))
        elif head.state != "running":
            what = f"no head node runs: {head.id} is {head.state}"
            start = join(["aws", "ec2", "start-instances", "--region", status.region, "--instance-ids", head.id])
            yield Concern("error", what, start if head.state == "stopped" else status.command("diagnose"))


def _of_fleet(status: Status, fleet: FleetStatus) -> Iterator[Concern]:
    if fleet.status == "PROTECTED":
        what = "the fleet is PROTECTED: nodes failed to come up again and again, and their queues are switched off"
        yield Concern("error", what, status.command("diagnose"))
    elif fleet.status in _STOPPED:
        words = ["pcluster", "update-compute-fleet", "--cluster-name", status.name, "--region", status.region]
        what = f"the fleet is {fleet.status}: no compute nodes are launched"
        yield Concern("warning", what, join([*words, "--status", "START_REQUESTED"]))


def _of_queues(status: Status, queues: tuple[ComputeResourceStatus, ...]) -> Iterator[Concern]:
    check = ("nodes", "check") if status.is_made_by_trainyard else ("diagnose",)
    for resource in queues:
        if resource.running < resource.least and "nodes" not in status.unknown:
            count = f"{resource.running} running nodes of the {resource.least} that always run"
            yield Concern("warning", f"{resource.queue}/{resource.name} has {count}", status.command(*check))


def _states_in_slurm(resource: ComputeResourceStatus, slurm: SlurmState) -> str:
    """Return how many nodes of a compute resource are in each state: QUEUE-st-RESOURCE-NUMBER, or -dy-.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-workload-manager-v3.html
    """
    beginnings = tuple(f"{resource.queue}-{kind}-{resource.name}-" for kind in ("st", "dy"))
    states = Counter(node.state for node in slurm.nodes if node.name.startswith(beginnings))
    return ", ".join(f"{count} {state}" for state, count in states.items())


def _queue_line(resource: ComputeResourceStatus) -> str:
    counts = ", ".join(f"{count} {state}" for state, count in resource.states.items()) or "no nodes"
    reserved = f", {resource.reservation}" if resource.reservation else ""
    what = f"  queue {resource.queue}/{resource.name} {' or '.join(resource.instance_types)}"
    return f"{what}: {counts} of {resource.least} to {resource.most} ({resource.capacity}{reserved})"
