"""Replaces a bad node: evidence first, held from jobs, given up, and its successor proven before jobs return.

Each stage is written down before the next one begins, and looks at what is there, so that a call goes on where another
ended. What differs between platforms is the part ``NodeReplacement`` of platform_parts.py. Nothing here ends a job that
nobody has agreed to end.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from trainyard.deploy.node_record_place import record_of
from trainyard.deploy.work import folder
from trainyard.edge.aws import ec2, s3
from trainyard.edge.aws.account import Account
from trainyard.edge.aws.nodes import instance_by_id
from trainyard.errors import InputError, TrainyardError
from trainyard.operate.nodes.node_evidence import gpus_in, node_evidence
from trainyard.operate.nodes.replacement_record import (
    ReplacementRecord,
    StoredReplacement,
    begun,
    claim_successor,
    replacements,
)
from trainyard.platform_parts import NodeReplacement

_POLL_S = 15.0
_GONE = ("shutting-down", "terminated")


@dataclass(frozen=True, slots=True)
class ReplacementRequest:
    """What somebody asks for."""

    account: Account
    bucket: str
    cluster: str
    node: str
    """What the scheduler calls it, or the id of its instance."""
    reason: str
    reports: bool
    """Whether its successor runs a release, and so reports how it came up."""
    end_jobs: bool = False
    wait_for_jobs_s: float = 0
    timeout_s: float = 3600
    """How long its successor may take to be there and proven."""
    tell: Callable[[str], None] = lambda _: None

    def record(self, node: str, instance_id: str, instance_type: str, *peers: str) -> ReplacementRecord:
        """Return the record of a replacement that begins now."""
        return ReplacementRecord(instance_id, node, instance_type, self.reason, self.now(), peers=peers)

    def now(self) -> str:
        """Return the time as records have it."""
        return datetime.fromtimestamp(self.account.clock.now(), UTC).isoformat(timespec="seconds")


def replace_node(request: ReplacementRequest, parts: NodeReplacement) -> ReplacementRecord:
    """Replace a node, or go on where a call that ended early stopped; return how it ended.

    Raises InputError where there is no such node, TrainyardError where jobs are on it that nobody lets end, where it is
    not replaced in time, and where its successor is not well: then it stays held.
    """
    work = _Replacement(request, parts, _begun(request, parts))
    try:
        work.carry_out()
    except _StateToldError:
        raise
    except TrainyardError as error:  # of AWS, the scheduler or Kubernetes: credentials that expire, for instance
        if work.hold:
            state = f"{work.record.node} {work.hold} held from jobs, and the same command goes on"
            error.hint = state if error.hint is None else f"{error.hint}; {state}"
        raise
    return work.record


def _begun(request: ReplacementRequest, parts: NodeReplacement) -> StoredReplacement:
    """Return the replacement of the node that is under way; a new one where there is none."""
    unfinished = [
        stored
        for stored in replacements(request.account, request.bucket, request.cluster)
        if stored.record.stage != "done" and request.node in (stored.record.node, stored.record.instance_id)
    ]
    for stored in reversed(unfinished):
        if _is_under_way(request, parts, stored):
            return stored
    return begun(request.account, request.bucket, request.cluster, parts.find(request.node))


def _is_under_way(request: ReplacementRequest, parts: NodeReplacement, stored: StoredReplacement) -> bool:
    """Return whether a replacement can be gone on with, and bring its record to what is there now.

    Since it was written, somebody may have given the node back to jobs, or have had it replaced in another way. Then
    the record says nothing about the instance behind the node's name today.
    """
    record, is_held = stored.record, parts.is_held(stored.record)
    found = _found(parts, request.node)
    current = None if found is None else found.instance_id
    began = f"{record.node} ({record.instance_id}), which is {record.stage} since {record.began}"
    if found is not None and current == record.instance_id and not is_held:
        request.tell(f"begins anew with {began}: it is not held from jobs any more")
        stored.change(found)
    elif current == record.instance_id:
        request.tell(f"goes on with {began}")
    elif is_held:
        is_other = record.stage in ("held", "draining") or current not in (None, record.new_instance_id)
        request.tell(f"goes on with {began}")
        if is_other:
            stored.change(replace(record, stage="replacing", new_instance_id=""))
    else:
        request.tell(f"{began}, was given back to jobs, with {current or 'no instance'} in its place")
        stored.change(replace(record, stage="done", ended=request.now()))
        # Its successor was given back, so nothing is left to do; without `current`, the one that was named is gone.
        return record.stage == "proving" and current in (None, record.new_instance_id)
    return True


def _found(parts: NodeReplacement, node: str) -> ReplacementRecord | None:
    """Return the node that has a name now, or an instance's id, as its replacement would begin; None if none has."""
    try:
        return parts.find(node)
    except InputError:
        return None


class _StateToldError(TrainyardError):
    """An error that says itself what the node is now."""


class _SuccessorGoneError(Exception):
    """What has taken the node's place is gone as well."""


@dataclass
class _Look:
    problem: str = ""
    """Why it was not the last one."""


@dataclass
class _Replacement:
    request: ReplacementRequest
    parts: NodeReplacement
    stored: StoredReplacement
    successor_until: float = 0
    """When the time of its successors is over; zero until one is waited for."""
    hold: Literal["", "stays", "may be"] = ""
    """Whether jobs are kept from the node, as the hint says it: "may be" until a command has answered."""

    @property
    def record(self) -> ReplacementRecord:
        return self.stored.record

    @property
    def is_done(self) -> bool:
        return self.record.stage == "done"

    def carry_out(self) -> None:
        if not self.is_done:
            self.hold_node()
            self.collect_evidence()
            self.await_jobs()
            self.give_up()
        while not self.is_done:
            self.await_successor()
            self.prove()

    def hold_node(self) -> None:
        self.hold = "may be"
        self.request.tell(self.parts.hold(self.record))
        self.hold = "stays"

    def collect_evidence(self) -> None:
        """Write what tells why the node is bad to the bucket, before anything of it goes."""
        request, id_ = self.request, self.record.instance_id
        if self.record.evidence or self._is_gone():
            return
        stored = record_of(request.account, request.bucket, request.cluster, id_)
        topology = _or_why(lambda: ec2.instance_topology(request.account, (id_,)).get(id_, {}))
        node = _or_why(lambda: node_evidence(request.account, id_))
        evidence: dict[str, Any] = {
            "schema": 1,
            "replacement": {"node": self.record.node, "reason": self.record.reason, "began": self.record.began},
            "instance": _or_why(lambda: ec2.instances_by_id(request.account, (id_,))),
            "topology": topology,
            **{name: _or_why(question) for name, question in self.parts.evidence(self.record).items()},
            "node": node,
        }
        key = f"{folder(request.cluster)}/evidence/{id_}.json"
        content = json.dumps(evidence, indent=2, default=str).encode()
        s3.put(request.account, request.bucket, key, content)
        request.tell(f"evidence lies in s3://{request.bucket}/{key}")
        gpus = stored.record.gpus if stored and stored.record and stored.record.gpus else gpus_in(node)
        places = topology.get("NetworkNodes", ()) if isinstance(topology, dict) else ()
        self.stored.change(replace(self.record, evidence=key, gpus=tuple(sorted(gpus)), network_nodes=tuple(places)))

    def await_jobs(self) -> None:
        """Wait for the jobs on the node as long as somebody lets it; refuse to end those that are left."""
        if self.record.stage != "held":
            return
        waited_s, told, patience_s = 0.0, "", self.request.wait_for_jobs_s
        while (jobs := self.parts.jobs(self.record)) and not (self.request.end_jobs and waited_s >= patience_s):
            if waited_s >= patience_s:
                raise _StateToldError(
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
            if not self.parts.is_held(self.record):
                self.stored.refuse_others()  # who may have replaced it meanwhile
                self.request.tell(f"somebody has given {self.record.node} back to jobs; it is held again")
                self.hold_node()
        self.stored.change(replace(self.record, stage="draining"))

    def give_up(self) -> None:
        """Let the node be replaced, unless its instance is gone: what is in its place then may be well.

        Jobs can have begun only before it was held.
        """
        if self.record.stage != "draining":
            return
        for look in self._looks(self._end_of_time()):
            is_gone = self._is_gone()
            if is_gone:
                self.request.tell(f"{self.record.instance_id} is gone already")
            look.problem = "" if is_gone else self.parts.why_not_given_up(self.record, end_jobs=self.request.end_jobs)
            if not look.problem:
                self.stored.change(replace(self.record, stage="replacing"))
                return

    def await_successor(self) -> None:
        """Wait until another instance takes the node's place, where one does by itself."""
        self.successor_until = self.successor_until or self._end_of_time()
        if self.record.stage != "replacing":
            return
        problem = f"{self.record.instance_id} is not replaced; see `trainyard status {self.request.cluster}`"
        for look in self._looks(self.successor_until):
            look.problem = problem
            if not self._is_gone():
                continue
            if not self.parts.HAS_SUCCESSOR:
                self._end()
                return
            instance = next(filter(self._claims, self.parts.successors(self.record)), None)
            if instance is not None:
                self.request.tell(f"{instance} takes the place of {self.record.node}")
                self.stored.change(replace(self.record, stage="proving", new_instance_id=instance))
                return

    def prove(self) -> None:
        """Give the node to jobs once its bootstrap, the scheduler and its health say that it is well.

        Where its successor goes before that, the next one is waited for.
        """
        if self.record.stage != "proving":
            return
        try:
            gpus = self._await_bootstrap() if self.request.reports else frozenset[str]()
            self._await_scheduler()
            gpus = gpus or gpus_in(_or_why(lambda: node_evidence(self.request.account, self.record.new_instance_id)))
            if gpus & set(self.record.gpus):
                raise self._unproven(f"{self.record.new_instance_id} stands on the same host: it has the same GPUs")
            problem = self.parts.health_problem(self.record)
            self._refuse_gone()
            if problem:
                raise self._unproven(f"the health check of {self.record.new_instance_id} says {problem}")
        except _SuccessorGoneError:
            self.request.tell(f"{self.record.new_instance_id} is gone before it was proven")
            self.stored.change(replace(self.record, stage="replacing", new_instance_id=""))
            return
        self.hold = "may be"
        self.parts.release(self.record)
        self.hold = ""
        self._end(new_gpus=tuple(sorted(gpus)))

    def _claims(self, instance: str) -> bool:
        """Return whether an instance is this node's successor, and not that of one that is replaced beside it."""
        request = self.request
        return claim_successor(request.account, request.bucket, request.cluster, self.record, instance)

    def _end(self, **values: Any) -> None:
        self.stored.change(replace(self.record, stage="done", ended=self.request.now(), **values))

    def _await_bootstrap(self) -> frozenset[str]:
        """Wait for the record of the new instance, and return its GPUs."""
        request, id_ = self.request, self.record.new_instance_id
        for look in self._looks(self.successor_until):
            self._refuse_gone()
            look.problem = f"{id_} has not come up"
            stored = record_of(request.account, request.bucket, request.cluster, id_)
            record = stored.record if stored else None
            if record is not None and record.status in ("failed", "held"):
                hint = f"`trainyard nodes check {request.cluster}`"
                raise self._unproven(f"the bootstrap of {id_} has failed: see {hint}")
            if record is not None and record.usable:
                return record.gpus
        return frozenset()

    def _await_scheduler(self) -> None:
        """Wait until the scheduler could use the new instance."""
        for look in self._looks(self.successor_until):
            self._refuse_gone()
            look.problem = self.parts.why_not_back(self.record)
            if not look.problem:
                return

    def _refuse_gone(self) -> None:
        if self._is_gone(self.record.new_instance_id):
            raise _SuccessorGoneError

    def _unproven(self, problem: str) -> TrainyardError:
        return _StateToldError(
            problem,
            where=self.record.node,
            hint="it gets no jobs; run this again once that is corrected, or give it back as it is: "
            f"{self.parts.release_command(self.record)}",
        )

    def _is_gone(self, instance_id: str = "") -> bool:
        instance = instance_by_id(self.request.account, instance_id or self.record.instance_id)
        return instance is None or instance["State"]["Name"] in _GONE

    def _end_of_time(self) -> float:
        return self.request.account.clock.now() + self.request.timeout_s

    def _looks(self, end: float) -> Iterator[_Look]:
        """Yield as long as there is time, with pauses; then raise TrainyardError with the last problem."""
        look = _Look()
        while True:
            yield look
            if self.request.account.clock.now() >= end:
                hint = f"{self.record.node} stays held; the same command goes on"
                text = f"in {self.request.timeout_s:.0f} s, {look.problem}"
                raise _StateToldError(text, where=self.record.node, hint=hint)
            self.request.account.clock.sleep(_POLL_S)


def _or_why(question: Callable[[], Any]) -> Any:
    """Return an answer, or why there is none: evidence that is missing holds nothing up."""
    try:
        return question()
    except TrainyardError as error:
        return f"not known: {error.problem}"
