"""How a node of Slurm is replaced: held by a reservation, given up to clustermgtd, and its successor proven."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trainyard.edge.aws.nodes import ClusterNode, nodes
from trainyard.errors import InputError
from trainyard.operate.nodes.replacement import ReplacementRequest
from trainyard.operate.nodes.replacement_record import ReplacementRecord
from trainyard.operate.slurm.node_commands import NodeCommands
from trainyard.operate.slurm.slurm_state import HeadNode, SlurmNode, slurm_state

_FREE = ("idle", "reserved", "planned")
_NOT_THERE = "*~#%"  # it does not answer, has no power, gets it, or loses it


class SlurmReplacement:
    """The part of platforms whose jobs are those of Slurm."""

    HAS_SUCCESSOR = True

    def __init__(self, request: ReplacementRequest, head: HeadNode) -> None:
        """Take what is asked for, and where commands of Slurm run."""
        self._request, self._head = request, head
        self._was_started = False

    def find(self, node: str) -> ReplacementRecord:
        """Return a node by its name or by the id of its instance."""
        by_address = {
            instance.private_address: instance
            for instance in nodes(self._request.account, self._request.cluster)
            if instance.role == "Compute" and instance.private_address
        }
        for slurm_node in slurm_state(self._head).nodes:
            instance = by_address.get(slurm_node.address)
            if node == slurm_node.name and instance is None:
                raise InputError(f"node {node} has no instance: it is {slurm_node.state}", where=node)
            if instance is not None and node in (slurm_node.name, instance.id):
                return self._request.record(slurm_node.name, instance.id, instance.instance_type)
        cluster = self._request.cluster
        raise InputError(
            f"{cluster} has no compute node {node!r} in Slurm", where=node,
            hint=f"`trainyard status {cluster}` and `trainyard nodes check {cluster}` list them",
        )  # fmt: skip

    def hold(self, record: ReplacementRecord) -> str:
        """Reserve the node for root."""
        commands = self._commands(record)
        commands.hold()
        return f"{record.node} gets no further jobs: reservation {commands.reservation}"

    def is_held(self, record: ReplacementRecord) -> bool:
        """Ask for the reservation."""
        return self._commands(record).is_held()

    def evidence(self, record: ReplacementRecord) -> Mapping[str, Callable[[], Any]]:
        """Return what Slurm says of the node."""
        return {"slurm": lambda: self._head.run(("scontrol", "show", "node", record.node)).text}

    def jobs(self, record: ReplacementRecord) -> tuple[str, ...]:
        """Return the jobs on the node."""
        return self._commands(record).jobs()

    def why_not_given_up(self, record: ReplacementRecord, *, end_jobs: bool) -> str:
        """Let clustermgtd replace the node: it is drained, or down where that is to end jobs."""
        commands = self._commands(record)
        if end_jobs and commands.jobs():
            commands.end_jobs(record.reason)
        else:
            commands.drain(record.reason)
        self._request.tell(f"{record.node} is drained: clustermgtd ends {record.instance_id} within minutes")
        return ""

    def successors(self, record: ReplacementRecord) -> Sequence[str]:
        """Return the instance that is behind the name of the node now. A dynamic one has to be started."""
        state = self._slurm_node(record)
        if state is None:
            return ()
        if not state.has_power and "%" not in state.state and not self._was_started:
            self._commands(record).power_up(state)
            self._request.tell(f"{record.node} is started, without a job")
            self._was_started = True
        instance = self._instance_at(state.address, record)
        return (instance.id,) if instance is not None and instance.state == "running" else ()

    def why_not_back(self, record: ReplacementRecord) -> str:
        """Return why Slurm could give no job to the node, but for the reservation."""
        state = self._slurm_node(record)
        if state is not None and state.plain_state in _FREE and state.state[-1] not in _NOT_THERE:
            return ""
        return f"Slurm does not have {record.node} back"

    def health_problem(self, record: ReplacementRecord) -> str:
        """Run the health check of the release as a job of root."""
        return self._commands(record).health_problem() if self._request.reports else ""

    def release(self, record: ReplacementRecord) -> None:
        """Delete the reservation."""
        self._commands(record).release()

    def release_command(self, record: ReplacementRecord) -> str:
        """Return what deletes the reservation."""
        reservation = self._commands(record).reservation
        return f"`scontrol delete ReservationName={reservation}` as root on the head node"

    def _commands(self, record: ReplacementRecord) -> NodeCommands:
        return NodeCommands(self._head, record.node)

    def _slurm_node(self, record: ReplacementRecord) -> SlurmNode | None:
        return next((node for node in slurm_state(self._head).nodes if node.name == record.node), None)

    def _instance_at(self, address: str, record: ReplacementRecord) -> ClusterNode | None:
        instances = nodes(self._request.account, self._request.cluster)
        return next(
            (node for node in instances if node.private_address == address and node.id != record.instance_id), None
        )
