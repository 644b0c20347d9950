"""Replaces a node of Slurm: evidence first, held from jobs, given up, and its successor proven before jobs return.

Each stage is written down before the next one begins, and looks at what is there, so that a call goes on where another
ended. Nothing here ends a job that nobody has agreed to end.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from trainyard import edge
from trainyard.deploy.node_record_place import record_of
from trainyard.deploy.work import folder
from trainyard.edge.aws import ec2, s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import ClusterNode, nodes
from trainyard.edge.aws.ssm_commands import SsmSlurm
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.replacement_record import ReplacementRecord, StoredReplacement, begun, replacements
from trainyard.operate.slurm.node_commands import NodeCommands
from trainyard.operate.slurm.slurm_state import HeadNode, SlurmNode, slurm_state

_POLL_S = 15.0
_SOON_S = 30  # for evidence of a node that may be ill
_MOST_BYTES = 4_000_000
_FREE = ("idle", "reserved", "planned")
_NOT_THERE = "*~#%"  # it does not answer, has no power, gets it, or loses it
_THERE = ("pending", "running", "stopping", "stopped")


@dataclass(frozen=True, slots=True)
class ReplacementRequest:
    """What somebody asks for."""

    account: Account
    bucket: str
    cluster: str
    node: str
    """Its name in Slurm, or the id of its instance."""
    reason: str
    reports: bool
    """Whether its successor runs a release, and so reports how it came up."""
    end_jobs: bool = False
    wait_for_jobs_s: float = 0
    timeout_s: float = 3600
    """How long its successor may take to be there and proven."""
    tell: Callable[[str], None] = lambda _: None


def replace_node(request: ReplacementRequest, head: HeadNode) -> ReplacementRecord:
    """Replace a node, or go on where a call that ended early stopped; return how it ended.

    Raises InputError where there is no such node, TrainyardError where jobs are on it that nobody lets end, where it is
    not replaced in time, and where its successor is not well: then it stays held.
    """
    work = _Replacement(request, head, *_begun(request, head))
    work.hold()
    work.collect_evidence()
    work.await_jobs()
    work.give_up()
    work.await_successor()
    work.prove()
    return work.stored.record


def _begun(request: ReplacementRequest, head: HeadNode) -> tuple[StoredReplacement, NodeCommands]:
    """Return the replacement of the node that is under way; a new one where there is none."""
    unfinished = [
        stored
        for stored in replacements(request.account, request.bucket, request.cluster)
        if stored.record.stage != "done" and request.node in (stored.record.node, stored.record.instance_id)
    ]
    if unfinished:
        record = unfinished[-1].record
        request.tell(f"goes on with {record.node} ({record.instance_id}), which is {record.stage} since {record.began}")
        return unfinished[-1], NodeCommands(head, record.node)
    name, instance = _node(request, slurm_state(head).nodes)
    now = datetime.fromtimestamp(request.account.clock.now(), UTC).isoformat(timespec="seconds")
    record = ReplacementRecord(instance.id, name, instance.instance_type, request.reason, now)
    commands = NodeCommands(head, name)
    return begun(request.account, request.bucket, request.cluster, record), commands


def _node(request: ReplacementRequest, slurm_nodes: Sequence[SlurmNode]) -> tuple[str, ClusterNode]:
    """Return the name of a node and its instance."""
    by_address = {
        instance.private_address: instance
        for instance in nodes(request.account, request.cluster)
        if instance.role == "Compute" and instance.private_address
    }
    for node in slurm_nodes:
        instance = by_address.get(node.address)
        if request.node == node.name and instance is None:
            raise InputError(f"node {node.name} has no instance: it is {node.state}", where=request.node)
        if instance is not None and request.node in (node.name, instance.id):
            return node.name, instance
    raise InputError(
        f"{request.cluster} has no compute node {request.node!r} in Slurm", where=request.node,
        hint=f"`trainyard status {request.cluster}` and `trainyard nodes check {request.cluster}` list them",
    )  # fmt: skip


@dataclass
class _Replacement:
    request: ReplacementRequest
    head: HeadNode
    stored: StoredReplacement
    commands: NodeCommands

    @property
    def record(self) -> ReplacementRecord:
        return self.stored.record

    def hold(self) -> None:
        self.commands.hold()
        self.request.tell(f"{self.record.node} gets no further jobs: reservation {self.commands.reservation}")

    def collect_evidence(self) -> None:
        """Write what tells why the node is bad to the bucket, before anything of it goes."""
        if self.record.evidence or self._instance(self.record.instance_id) is None:
            return
        request, id_ = self.request, self.record.instance_id
        stored = record_of(request.account, request.bucket, request.cluster, id_)
        topology = _or_why(lambda: ec2.instance_topology(request.account, (id_,)).get(id_, {}))
        evidence: dict[str, Any] = {
            "schema": 1,
            "replacement": {"node": self.record.node, "reason": self.record.reason, "began": self.record.began},
            "instance": _or_why(lambda: ec2.instances_by_id(request.account, (id_,))),
            "topology": topology,
            "slurm": _or_why(lambda: self.head.run(("scontrol", "show", "node", self.record.node)).text),
            "node": _or_why(lambda: _node_says(request.account, id_)),
        }
        key = f"{folder(request.cluster)}/evidence/{id_}.json"
        content = json.dumps(evidence, indent=2, default=str).encode()
        s3.put(request.account, request.bucket, key, content)
        request.tell(f"evidence lies in s3://{request.bucket}/{key}")
        gpus = tuple(sorted(stored.record.gpus)) if stored and stored.record else ()
        places = topology.get("NetworkNodes", ()) if isinstance(topology, dict) else ()
        self.stored.change(replace(self.record, evidence=key, gpus=gpus, network_nodes=tuple(places)))

    def await_jobs(self) -> None:
        """Wait for the jobs on the node as long as somebody lets it; refuse to end those that are left."""
        if self.record.stage != "held":
            return
        waited_s, told = 0.0, ""
        while (jobs := self.commands.jobs()) and not (self.request.end_jobs and waited_s >= self._patience_s):
            if waited_s >= self._patience_s:
                raise TrainyardError(
                    f"{self.record.node} has jobs: {'; '.join(jobs)}",
                    where=self.record.node,
                    hint="it gets no further ones; run this again when they are over, with --wait-for-jobs, or with "
                    "--end-jobs",
                )
            if (text := "; ".join(jobs)) != told:
                self.request.tell(f"waits for {text}")
                told = text
            self.request.account.clock.sleep(_POLL_S)
            waited_s += _POLL_S
        self.stored.change(replace(self.record, stage="draining"))

    @property
    def _patience_s(self) -> float:
        return self.request.wait_for_jobs_s

    def give_up(self) -> None:
        """Let clustermgtd replace the node. Jobs can have begun only before it was held."""
        if self.record.stage != "draining":
            return
        if self.request.end_jobs and self.commands.jobs():
            self.commands.end_jobs(self.record.reason)
        else:
            self.commands.drain(self.record.reason)
        self.request.tell(f"{self.record.node} is drained: clustermgtd ends {self.record.instance_id} within minutes")
        self.stored.change(replace(self.record, stage="replacing"))

    def await_successor(self) -> None:
        """Wait until another instance is behind the node's name. A dynamic one has to be started."""
        if self.record.stage != "replacing":
            return
        was_started = False
        for _ in self._looks(f"{self.record.instance_id} is not replaced; see the fleet in `trainyard status`"):
            state = self._slurm_node()
            if state is None or self._instance(self.record.instance_id) is not None:
                continue
            if not state.has_power and "%" not in state.state and not was_started:
                self.commands.power_up(state)
                self.request.tell(f"{self.record.node} is started, without a job")
                was_started = True
            instance = self._instance_at(state.address)
            if instance is not None and instance.state == "running":
                self.request.tell(f"{instance.id} is {self.record.node} now")
                self.stored.change(replace(self.record, stage="proving", new_instance_id=instance.id))
                return

    def prove(self) -> None:
        """Give the node to jobs once its bootstrap, Slurm and its health check say that it is well."""
        if self.record.stage != "proving":
            return
        gpus = self._await_bootstrap() if self.request.reports else frozenset()
        for _ in self._looks(f"Slurm does not have {self.record.node} back"):
            state = self._slurm_node()
            if state is not None and state.plain_state in _FREE and state.state[-1] not in _NOT_THERE:
                break
        if gpus & set(self.record.gpus):
            raise self._unproven(f"{self.record.new_instance_id} stands on the same host: it has the same GPUs")
        if self.request.reports and (problem := self.commands.health_problem()):
            raise self._unproven(f"the health check of {self.record.new_instance_id} says {problem}")
        self.commands.release()
        ended = datetime.fromtimestamp(self.request.account.clock.now(), UTC).isoformat(timespec="seconds")
        self.stored.change(replace(self.record, stage="done", ended=ended))

    def _await_bootstrap(self) -> frozenset[str]:
        """Wait for the record of the new instance, and return its GPUs."""
        request, id_ = self.request, self.record.new_instance_id
        for _ in self._looks(f"{id_} has not come up"):
            stored = record_of(request.account, request.bucket, request.cluster, id_)
            record = stored.record if stored else None
            if record is not None and record.status in ("failed", "held"):
                look = f"`trainyard nodes check {request.cluster}`"
                raise self._unproven(f"the bootstrap of {id_} has failed: see {look}")
            if record is not None and record.usable:
                return record.gpus
        return frozenset()

    def _unproven(self, problem: str) -> TrainyardError:
        release = f"scontrol delete ReservationName={self.commands.reservation}"
        return TrainyardError(
            problem,
            where=self.record.node,
            hint="it gets no jobs; run this again once that is corrected, or give it back as it is: "
            f"`{release}` as root on the head node",
        )

    def _looks(self, problem: str) -> Any:
        """Yield as long as there is time, with pauses; then raise TrainyardError."""
        end = self.request.account.clock.now() + self.request.timeout_s
        while True:
            yield
            if self.request.account.clock.now() >= end:
                hint = f"{self.record.node} stays held; the same command goes on"
                raise TrainyardError(f"in {self.request.timeout_s:.0f} s, {problem}", where=self.record.node, hint=hint)
            self.request.account.clock.sleep(_POLL_S)

    def _slurm_node(self) -> SlurmNode | None:
        return next((node for node in slurm_state(self.head).nodes if node.name == self.record.node), None)

    def _instance(self, id_: str) -> ClusterNode | None:
        instances = nodes(self.request.account, self.request.cluster)
        return next((instance for instance in instances if instance.id == id_ and instance.state in _THERE), None)

    def _instance_at(self, address: str) -> ClusterNode | None:
        instances = nodes(self.request.account, self.request.cluster)
        return next(
            (node for node in instances if node.private_address == address and node.id != self.record.instance_id), None
        )


def _or_why(question: Callable[[], Any]) -> Any:
    """Return an answer, or why there is none: evidence that is missing holds nothing up."""
    try:
        return question()
    except TrainyardError as error:
        return f"not known: {error.problem}"


def _node_says(account: Account, instance_id: str) -> dict[str, list[str]]:
    """Return what the node says of itself, by parts, each in lines."""
    node = SsmSlurm(account, instance_id, delivery_s=_SOON_S, running_s=90)
    content = node.run(("bash", "-s"), _script()).output
    try:
        text = zlib.decompressobj(wbits=31).decompress(content, _MOST_BYTES).decode("utf-8", "replace")
    except zlib.error as error:
        raise TrainyardError(f"what {instance_id} answers is damaged: {error}") from error
    parts: dict[str, list[str]] = {}
    lines = parts.setdefault("", [])
    for line in text.split("\n"):
        if line.startswith("== "):
            lines = parts.setdefault(line[3:], [])
        elif line:
            lines.append(line)
    return {name: lines for name, lines in parts.items() if lines}


@cache
def _script() -> bytes:
    return (Path(edge.__file__).parent / "remote" / "node_evidence.sh").read_bytes()
