"""What a spec changes of the stacks that exist: known and told before anything is touched.

CloudFormation says it itself, with a change set of each stack. Where that depends on what an earlier stack has still to
make, a stand-in takes its place; the step looks again at what it has then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from trainyard.deploy.cluster_update import ClusterUpdate
from trainyard.deploy.drift import DriftDifference
from trainyard.deploy.drift_review import drift_of_resources, taken_back, template_drift, written_over
from trainyard.deploy.file_system_order import refuse_other_order
from trainyard.deploy.losses import changes_of
from trainyard.deploy.orphaned_data import orphaned_data
from trainyard.deploy.preflight_step import outputs_of, stacks_of_spec
from trainyard.deploy.stack_change import ReviewedStack, StackChange
from trainyard.deploy.steps.reservation_groups import known_groups
from trainyard.deploy.steps.stack import StackStep, refuse_foreign, tell
from trainyard.deploy.work import Work
from trainyard.edge.aws.change_sets import (
    ChangeSet,
    ResourceChange,
    StackRequest,
    deletion_policies,
    discard_change_sets,
    make_change_sets,
)
from trainyard.edge.aws.cloudformation import UNFINISHED, wait_until_settled
from trainyard.edge.aws.stack_events import stack_resources
from trainyard.edge.aws.stacks import UNDER_REVIEW, StackState, all_stacks, refuse_stuck
from trainyard.errors import TrainyardError
from trainyard.finding import Finding
from trainyard.foreign_text import quoted_or
from trainyard.render.stand_ins import StandIn
from trainyard.stop_request import side_by_side


@dataclass(frozen=True, slots=True)
class UpdateReview:
    """What an update would do, as far as anybody knows before it begins."""

    changes: tuple[StackChange, ...] = ()
    unneeded: tuple[StackStep, ...] = ()
    """The stacks that the spec no longer has, in the order of their making."""
    unclear: tuple[str, ...] = ()
    """Sentences about stacks of which nobody can say it yet."""
    findings: tuple[Finding, ...] = ()
    """What earlier updates have left behind."""
    cluster: ClusterUpdate | None = None
    """What would change of the cluster that is no stack of ours; None where nothing."""
    drift: tuple[DriftDifference, ...] = ()
    """What somebody else has changed of the stacks since the last deployment, and of their resources."""
    overwrites: tuple[DriftDifference, ...] = ()
    """What of it an update would take back."""

    def lines(self) -> Iterator[str]:
        """Yield what it says: changes of the cluster, of what holds data and each loss, the rest counted."""
        if self.cluster is not None:
            yield from self.cluster.lines()
        for stack in dict.fromkeys(change.stack for change in self.changes):
            fates = Counter(change.fate for change in self.changes if change.stack == stack)
            yield f"stack {stack}: {', '.join(f'{count} {fate}' for fate, count in fates.items())}"
        yield from (str(change) for change in self.changes if change.is_told)
        for difference in self.drift:
            fate = "taken back" if difference in self.overwrites else "left as it is"
            yield f"changed by somebody else, and {fate}: {difference}"
        yield from self.unclear


def refuse_stuck_stacks(work: Work) -> None:
    """Raise TrainyardError where an update of a stack has failed halfway: of what it made, nothing is known then.

    Also where that is a stack of the environment: without its outputs the cluster would seem to need another one.
    """
    for state in stacks_of_spec(work, all_stacks(work.account)):
        refuse_stuck(state)


def review_update(work: Work, steps: Sequence[StackStep], unneeded: Sequence[StackStep]) -> UpdateReview:
    """Return what the steps would change of stacks that exist, and leave their change sets with the work.

    ``unneeded`` are the steps of stacks that the spec does not have: one that exists goes.
    Raises TrainyardError where a stack cannot be updated, CloudFormation refuses what it should be, or file systems
    would change places.
    """
    stacks = all_stacks(work.account)
    states = {stack.name: stack for stack in stacks if work.owns(stack.tags) and stack.status != UNDER_REVIEW}
    if not states:
        return UpdateReview(findings=orphaned_data(work, states))
    existing = tuple(step for step in unneeded if step.stack_name(work) in states)
    unclear: list[str] = []

    def changed() -> list[StackChange]:
        outputs = {**outputs_of(work, stacks), **known_groups(work), "AssetsBucket": work.bucket}
        refuse_other_order(work, outputs)
        there = [(step, states[step.stack_name(work)]) for step in steps if step.stack_name(work) in states]
        return _changes(replace(work, outputs=outputs), there, unclear)

    def deleted() -> list[StackChange]:
        return [change for step in existing for change in _deleted(work, states[step.stack_name(work)])]

    changes, others, left, drift, of_resources = side_by_side(
        changed,
        deleted,
        lambda: orphaned_data(work, states),
        lambda: template_drift(work, stacks, unclear),
        lambda: drift_of_resources(work, list(states.values()) if work.options.all_drift else (), unclear),
    )
    if not work.options.all_drift:
        touched = {change.stack for change in changes if change.fate in ("changed", "replaced")}
        of_resources = drift_of_resources(work, [states[name] for name in sorted(touched)], unclear)
    overwrites = (*taken_back(work, drift), *written_over(changes, of_resources))
    all_changes, all_drift = (*changes, *others), (*drift, *of_resources)
    return UpdateReview(all_changes, existing, tuple(sorted(unclear)), left, drift=all_drift, overwrites=overwrites)


def discard(work: Work) -> None:
    """Delete the change sets that nobody is going to execute."""
    reviewed = (*work.reviewed.values(), *work.removals)
    discard_change_sets(work.account, [one.change_set for one in reviewed if one.change_set is not None])
    work.reviewed.clear()
    work.removals.clear()


class _Asked(NamedTuple):
    """What a stack should be, of one that can be updated."""

    state: StackState
    request: StackRequest
    missing: Sequence[StandIn]
    """What earlier stacks have still to make."""


def _changes(work: Work, steps: Sequence[tuple[StackStep, StackState]], unclear: list[str]) -> list[StackChange]:
    """Return what the steps would change, in their order; all change sets are made at once."""
    looked = [_settled(work, step, state) for step, state in steps]
    asked = [one for one in looked if isinstance(one, _Asked)]
    made = make_change_sets(work.account, [one.request for one in asked])
    of_request = dict(zip(map(id, asked), made, strict=True))
    premature: list[ChangeSet] = []
    for one, change_set in zip(asked, made, strict=True):
        if not (one.missing or isinstance(change_set, TrainyardError)):
            work.reviewed[one.state.name] = ReviewedStack(one.request, one.state, change_set)
        elif isinstance(change_set, ChangeSet):
            premature.append(change_set)
    discard_change_sets(work.account, premature)
    changes: list[StackChange] = []
    for outcome in looked:
        if isinstance(outcome, _Asked):
            changes += _of_change_set(work, outcome, of_request[id(outcome)], unclear)
        else:
            changes += outcome
    return changes


def _of_change_set(
    work: Work, asked: _Asked, made: ChangeSet | TrainyardError | None, unclear: list[str]
) -> Sequence[StackChange]:
    """Return what a change set says. Raises TrainyardError where AWS refused it for what the spec says."""
    if isinstance(made, TrainyardError):
        if not asked.missing:
            raise made
        unclear.append(f"stack {asked.state.name} changes once {asked.missing[0].what} is there: {made.problem}")
        return ()
    return () if made is None else changes_of(work, made.changes)


def _settled(work: Work, step: StackStep, listed_state: StackState) -> _Asked | Sequence[StackChange]:
    """Return what to ask of a stack, when nobody works on it any more; of one that cannot be updated, what happens."""
    state: StackState | None = listed_state
    if listed_state.in_progress:
        state = wait_until_settled(work.account, listed_state.name, lambda event: tell(work, event))
    if state is None or state.status == "DELETE_COMPLETE":
        return ()
    if state.status == "DELETE_FAILED":
        return _deleted_at_last(work, state)
    if state.status in UNFINISHED:
        return ()
    refuse_foreign(state, work)
    refuse_stuck(state)
    return _Asked(state, *step.request_so_far(work, state))


def _deleted_at_last(work: Work, state: StackState) -> Sequence[StackChange]:
    """Return what finishing a deletion takes away. Raises TrainyardError where that is more than can be made anew."""
    changes = _deleted(work, state)
    if any(change.is_loss and change.holds != "nothing" for change in changes):
        raise TrainyardError(
            f"stack {state.name} is DELETE_FAILED: {quoted_or(state.reason, 'see its events')}",
            where=state.name,
            hint=f"`trainyard destroy {work.name}` finishes its deletion; then deploy again",
        )
    return changes


def _deleted(work: Work, state: StackState) -> Sequence[StackChange]:
    """Return what deleting a stack does to its resources, by the deletion policies of its own template."""
    leaves = deletion_policies(work.account, state.name)
    there = [resource for resource in stack_resources(work.account, state.name) if resource.physical_id]
    return changes_of(
        work,
        (
            ResourceChange(
                state.name,
                resource.resource,
                resource.type,
                resource.physical_id,
                "left behind" if leaves[resource.resource] == "resource" else "deleted",
                leaves=leaves[resource.resource],
            )
            for resource in there
            if not resource.status.startswith("DELETE_COMPLETE")
        ),
    )
