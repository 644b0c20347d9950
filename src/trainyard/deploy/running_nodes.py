"""The head node and the login nodes of a cluster that exists: what they have carried out, and what a new release asks.

They start once, so what is new they carry out only when they are told. Compute nodes come and go, and new ones run what
is published.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from trainyard.bootstrap.steps import STEPS
from trainyard.bundle.assets import POINTER
from trainyard.bundle.node_work import NOTHING, NodeWork, WorkDifference, difference, node_work
from trainyard.bundle.release import Release, file_of
from trainyard.deploy.node_record import NodeRecord, disagreement
from trainyard.deploy.node_record_place import record_of
from trainyard.deploy.release_notice import command_to_tell, not_told
from trainyard.deploy.work import Work, folder
from trainyard.edge.aws import s3
from trainyard.edge.aws.nodes import ClusterNode, nodes
from trainyard.edge.aws.s3_lookup import first_bytes
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.foreign_text import quoted

_DIGEST = re.compile("[0-9a-f]{64}")
_MOST_BYTES = 1000
_MOST_SHOWN = 200
# What it made are files that people use or delete; nothing runs because of them.
_LEAVES_FILES_ONLY = {"images"}


class _Ran(NamedTuple):
    """What a node has run last."""

    release: str | None
    """SHA-256 of the release; None where nothing was published."""
    failure: str | None = None
    """What is said of a run that did not get to its end. A node that takes jobs goes on: its state does not say."""


@dataclass
class RunningNodes:
    """The nodes that have to be told of a release, seen before it is published."""

    work: Work
    new: Release
    _works: dict[tuple[str | None, str], NodeWork | None] = field(default_factory=dict)

    def untold(self) -> tuple[Finding, ...]:
        """Return a finding for the head node and one for login nodes, where the release asks them for anything else.

        Raises TrainyardError where the head node would have to take something back: no release can do that.
        """
        running = [node for node in nodes(self.work.account, self.work.name) if node.state != "shutting-down"]
        head = [node for node in running if node.role == "HeadNode"]
        login = [node for node in running if node.role == "LoginNode"]
        return (*self._head(head), *self._login(login))

    def _head(self, head: list[ClusterNode]) -> Iterator[Finding]:
        ran = self._ran(head[0]) if head else _Ran(self._pointed_to())
        difference = self._difference(ran, "head")
        if isinstance(difference, WorkDifference):
            self._refuse_dropped(difference)
            difference = difference._replace(dropped=())
        if difference is not None and any(difference):
            which = f"the head node{f' {head[0].id}' if head else ''}"
            remedy = f"run on the head node: {self._command}"
            yield not_told(
                "head-node-not-told", f"{which} has to be told of this release: {difference}", remedy, self._place
            )

    def _login(self, login: list[ClusterNode]) -> Iterator[Finding]:
        differences = {
            node.id: what for node in login if (what := self._difference(self._ran(node), "login")) is not None
        }
        if differences:
            what = next(iter(differences.values()))
            message = f"login nodes {', '.join(differences)} have to be told of this release: {what}"
            remedy = f"run on each of them, or terminate them so that new ones start: {self._command}"
            yield not_told("login-nodes-not-told", message, remedy, self._place)

    def _difference(self, ran: _Ran, kind: str) -> WorkDifference | str | None:
        """Return how the work differs, None where it is the same; in words where it failed or nobody can read it."""
        digest = ran.release
        if digest == self.new.sha256:
            return ran.failure
        if (digest, kind) not in self._works:
            self._works[digest, kind] = self._former(digest, kind)
        former = self._works[digest, kind]
        if former is None:
            return f"the release that it ran, {digest}, cannot be read"
        return difference(former, node_work(self.new.content, kind)) or ran.failure

    def _former(self, digest: str | None, kind: str) -> NodeWork | None:
        if digest is None:
            return NOTHING
        stored = s3.get(self.work.account, self.work.bucket, self._key(f"releases/{file_of(digest)}"))
        try:
            return None if stored is None else node_work(stored.content, kind)
        except TrainyardError:
            return None

    def _ran(self, node: ClusterNode) -> _Ran:
        """Return what a node says it has run; where it says nothing, what is published."""
        stored = record_of(self.work.account, self.work.bucket, self.work.name, node.id)
        record = None if stored is None else stored.record
        if stored is None or record is None or record.release is None or disagreement(record, node):
            return _Ran(self._pointed_to())
        if stored.former and record.release == self.new.sha256:
            # This release reports elsewhere, so another node has written that.
            return _Ran(record.release, "its record is forged: it does not lie where this release puts it")
        return _Ran(record.release, failure_of(record))

    def _pointed_to(self) -> str | None:
        stored = first_bytes(self.work.account, self.work.bucket, self._key(POINTER), _MOST_BYTES)
        match = None if stored is None else _DIGEST.match(stored.content.decode(errors="replace"))
        return match[0] if match else None

    def _refuse_dropped(self, difference: WorkDifference) -> None:
        # A step of another version that this one does not know was renamed, not dropped by the spec.
        rerunnable = {step.name for step in STEPS} - _LEAVES_FILES_ONLY
        dropped = [name for name in difference.dropped if name in rerunnable]
        if dropped:
            raise TrainyardError(
                f"the head node of {self.work.name} has done what the spec no longer asks for, and no release takes it "
                f"back: {', '.join(dropped)}",
                where=self.work.name,
                hint="nothing was touched; let the spec ask for it again, or destroy the cluster and deploy it again",
            )

    @property
    def _command(self) -> str:
        return command_to_tell(self.work.account.region, self.work.bucket, self.work.name)

    @property
    def _place(self) -> str:
        return f"s3://{self.work.bucket}/{self._key(POINTER)}"

    def _key(self, name: str) -> str:
        return f"{folder(self.work.name)}/{name}"


def failure_of(record: NodeRecord) -> str | None:
    """Return what to say of the last run of a node, as its record has it; None where it came to its end.

    The runner writes a message for every run that did not, and none for one that did.
    """
    failed = next((step for step in record.steps if step.required and step.status == "failed"), None)
    message = record.message if failed is None else failed.message
    if message:
        where = "" if failed is None else f" in step {failed.name}"
        return f"its last run failed{where}, and the node says {quoted(message, _MOST_SHOWN)}"
    if record.status == "running":
        return "its last run has not ended: either it goes on right now, or it was killed"
    return "its last run failed and does not say why" if failed or record.status in ("failed", "held") else None
