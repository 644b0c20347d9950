"""What becomes of one resource of a stack, with what it holds: what a review of an update is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from trainyard.deploy.stack_resources import Holds
from trainyard.edge.aws.change_sets import ChangeSet, Fate, Leaves, StackRequest
from trainyard.edge.aws.stacks import StackState


@dataclass(frozen=True, slots=True)
class StackChange:
    """A change of one resource of a stack that exists."""

    stack: str
    resource: str
    """Its logical id, by which it is given up."""
    type: str
    id: str
    """Its physical id; empty for one that does not exist yet."""
    fate: Fate
    is_certain: bool
    """Whether AWS knows already that it comes to that."""
    leaves: Leaves
    """What stays, outside of any stack, of a resource that goes."""
    holds: Holds
    what: str
    """What it is, with its size where somebody knows it; empty where it holds nothing."""
    properties: tuple[str, ...] = ()
    """What is changed in place."""

    @property
    def is_told(self) -> bool:
        """Return whether a review names it: what is lost, and what is changed of something that holds data."""
        return self.holds != "nothing" if self.is_loss else self.holds == "data" and bool(self.properties)

    @property
    def is_loss(self) -> bool:
        """Return whether what stands there now is no longer there, or no longer in use, afterwards."""
        return self.fate not in ("added", "changed")

    def __str__(self) -> str:
        """Say what becomes of it."""
        may = "" if self.is_certain else "perhaps "
        new = " by a new one" if self.fate == "replaced" else ""
        left = {"snapshot": ", and a snapshot of it stays", "resource": ", and goes on costing"}
        more = left.get(self.leaves, "") if self.fate != "left behind" else ", and goes on costing"
        fate = "detached" if self.holds == "link" and self.fate == "deleted" else self.fate
        what = "".join(f": {words}" for words in (self.what, ", ".join(self.properties)) if words)
        return f"{may}{fate}{new}{more}: {self.resource} of stack {self.stack} ({self.type} {self.id}){what}"

    def as_json(self) -> dict[str, Any]:
        """Return it as values for JSON."""
        return {
            "stack": self.stack,
            "resource": self.resource,
            "type": self.type,
            "id": self.id or None,
            "fate": self.fate,
            "certain": self.is_certain,
            "leaves": self.leaves,
            "holds": self.holds,
            "what": self.what or None,
            "properties": list(self.properties),
        }


class ReviewedStack(NamedTuple):
    """A stack that exists, and the change set that was made of what it is to be."""

    request: StackRequest
    state: StackState
    change_set: ChangeSet | None
    """None where nothing would change."""

    @property
    def only_removes(self) -> bool:
        """Return whether it takes resources away and does nothing else."""
        fates = () if self.change_set is None else {change.fate for change in self.change_set.changes}
        return bool(fates) and not {"added", "changed", "replaced"} & set(fates)
