"""What becomes of one resource of a stack, with what it holds: what a review of an update is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from trainyard.catalog.update_policies import immutable_properties
from trainyard.deploy.stack_resources import Holds
from trainyard.edge.aws.change_sets import ChangeSet, Fate, Leaves, PropertyChange, StackRequest
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
    properties: tuple[PropertyChange, ...] = ()
    """What is changed in place."""

    @property
    def is_told(self) -> bool:
        """Return whether a review names it: what is lost, and what is changed of something that holds data.

        A change of a link may let files that users delete go from the bucket as well.
        """
        return self.holds != "nothing" if self.is_loss else self.holds in ("data", "link") and bool(self.properties)

    @property
    def is_loss(self) -> bool:
        """Return whether what stands there now is no longer there, or no longer in use, afterwards."""
        return self.fate not in ("added", "changed") or self.shortens_logs

    @property
    def shortens_logs(self) -> bool:
        """Return whether logs go that would have stayed. Without a number of days, they stay for ever.

        https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-logs-loggroup.html
        """
        if self.type != "AWS::Logs::LogGroup" or (days := self._numbers("RetentionInDays")) is None:
            return False
        before, after = days
        return after is not None and (before is None or after < before)

    @property
    def shrinks(self) -> bool:
        """Return whether a file system would become smaller, which FSx does not do to those of Lustre and OpenZFS.

        https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html
        """
        if self.type != "AWS::FSx::FileSystem" or (sizes := self._numbers("StorageCapacity")) is None:
            return False
        before, after = sizes
        return before is not None and after is not None and after < before

    @property
    def is_impossible(self) -> bool:
        """Return whether CloudFormation would change in place what the service changes of nothing that exists."""
        fixed = {name.removeprefix(f"{self.type}.") for name in immutable_properties()}
        return self.fate == "changed" and any(fixed & change.names() for change in self.properties)

    def _numbers(self, name: str) -> tuple[int | None, int | None] | None:
        """Return the values of a property that is changed, None for one that is not there or no number."""
        change = next((change for change in self.properties if change.name == name), None)
        if change is None:
            return None
        before, after = (int(value) if value and value.isdecimal() else None for value in (change.before, change.after))
        return before, after

    def __str__(self) -> str:
        """Say what becomes of it."""
        may = "" if self.is_certain else "perhaps "
        new = " by a new one" if self.fate == "replaced" else ""
        left = {"snapshot": ", and a snapshot of it stays", "resource": ", and goes on costing"}
        more = left.get(self.leaves, "") if self.fate != "left behind" else ", and goes on costing"
        fate = "detached" if self.holds == "link" and self.fate == "deleted" else self.fate
        what = "".join(f": {words}" for words in (self.what, ", ".join(map(str, self.properties))) if words)
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
            "properties": list(map(str, self.properties)),
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
