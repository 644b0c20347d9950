"""A second cluster takes over from one that no update changes; docs/decisions/0021-replacement-of-clusters.md.

Every phase looks at the account and does what is missing, so that whoever calls it again goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from trainyard.deploy.deployment import DeploymentResult, deploy, destroy, locked
from trainyard.deploy.engine import apply_all, failure_of
from trainyard.deploy.preflight_step import known_outputs
from trainyard.deploy.record import read_record
from trainyard.deploy.replacement_loss import ReplacementLoss
from trainyard.deploy.steps.stack import refuse_foreign
from trainyard.deploy.work import Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.stacks import find_stack, refuse_stuck, stacks_tagged
from trainyard.errors import InputError, TrainyardError
from trainyard.platform_parts import PlatformReplacement
from trainyard.platform_table import platform_of
from trainyard.render.rendering import render
from trainyard.render.tags import CLUSTER


class Replacement(NamedTuple):
    """Two clusters, of which the second takes over from the former."""

    former: Work
    successor: Work
    queues: Collection[str] = ()
    """The queues that move; all where none is named."""
    keeps_former: bool = False
    """Whether the former cluster stays when it is empty."""

    @property
    def part(self) -> PlatformReplacement:
        """Return what the platform does. Raises InputError where it updates its clusters instead."""
        platform = platform_of(self.successor.required_spec())
        if platform.replacement is None:
            hint = "`trainyard deploy` brings it to what the spec says"
            raise InputError(f"nothing of {platform.title} is replaced", where=self.successor.name, hint=hint)
        return platform.replacement()

    @property
    def is_over(self) -> bool:
        """Return whether the former cluster goes, or is gone, because the second one has taken over.

        Raises TrainyardError where it is not trainyard's, where it is in no state to be left, or where there is none.
        """
        former, successor = self.former, self.successor
        stack = find_stack(former.account, former.name)
        refuse_foreign(stack, former)
        if stack is not None and stack.usable:
            return False
        if stack is not None and not stack.status.startswith("DELETE_"):
            refuse_stuck(stack)
            raise TrainyardError(
                f"cluster {former.name} is {stack.status}", where=former.name, hint="replace it when that is over"
            )
        record = None
        if s3.bucket_problem(successor.account, successor.bucket) is None:
            record = read_record(successor.account, successor.bucket, successor.name)
        if record is None or record.replaces != former.name:
            raise TrainyardError(
                f"there is no cluster {former.name} to take over from",
                where=former.name,
                hint="compare name, region and --profile; `trainyard deploy` makes a cluster that takes over from none",
            )
        return True


def refuse_replacement(pair: Replacement) -> None:
    """Raise TrainyardError where the second cluster cannot take over; nothing is touched.

    Where the former is on its way out already, there is nothing left to compare.
    """
    former, successor = pair.former, pair.successor
    part = pair.part
    if former.name == successor.name:
        raise InputError(
            f"both clusters are called {former.name}",
            where="name",
            hint="give the new spec a name of its own: no cluster can be renamed, and both are there for a while",
        )
    if pair.is_over:
        return
    successor.outputs.update(known_outputs(successor))
    lost = [loss for loss in part.losses(former, successor) if loss.name not in successor.options.give_up]
    if lost:
        raise TrainyardError(
            f"{successor.name} would not have what {former.name} has: {'; '.join(loss.what for loss in lost)}",
            where=former.name,
            hint=f"nothing was touched; {_ways(lost)}",
        )
    _refuse_network_that_goes(pair)
    part.steps(former, successor, pair.queues)


def replace_cluster(pair: Replacement, spec_text: str) -> DeploymentResult:
    """Make the second cluster, move the queues, and destroy the former once it is empty.

    Raises TrainyardError where the second cluster cannot take over.
    """
    refuse_replacement(pair)
    former = pair.former
    made = deploy(pair.successor, spec_text)
    if not made.ok:
        return made
    reached = [made]
    failure = failure_of("replace", f"replacement of {former.name}", former, lambda: _take_over(pair, reached))
    if failure is None:
        return reached[-1]
    return replace(reached[-1], results=(*reached[-1].results, failure), stage=None)


def _take_over(pair: Replacement, reached: list[DeploymentResult]) -> None:
    """Do what comes after the second cluster is there, and add what became of it each time something has."""
    moved = reached[-1] if pair.is_over else _with_queues_moved(pair, reached[-1])
    reached.append(moved)
    if not moved.ok or moved.kept or not _is_left(pair.former):
        return
    removed = destroy(pair.former)
    done = replace(moved, results=(*moved.results, *removed.results), kept=removed.kept, refused=removed.refused)
    reached.append(done)


def _is_left(former: Work) -> bool:
    """Return whether the former cluster has still to be destroyed: its record is what goes last."""
    has_record = (
        s3.bucket_problem(former.account, former.bucket) is None
        and read_record(former.account, former.bucket, former.name) is not None
    )
    return has_record or bool(stacks_tagged(former.account, CLUSTER, former.name))


def _with_queues_moved(pair: Replacement, made: DeploymentResult) -> DeploymentResult:
    """Move the queues, and return what became of it: the former is among what is kept where it has to stay."""
    former = pair.former
    with locked(former, "replace"):
        results = apply_all(pair.part.steps(former, pair.successor, pair.queues), former)
    moved = replace(made, results=(*made.results, *results), findings=(*made.findings, *former.findings))
    if not moved.ok:
        return replace(moved, stage=None)
    if still_open := pair.part.open_queues(former):
        kept = f"cluster {former.name}, for queues that are still to move: {', '.join(still_open)}"
        return replace(moved, kept=(kept,))
    return replace(moved, kept=(f"cluster {former.name}, which is empty",)) if pair.keeps_former else moved


def _refuse_network_that_goes(pair: Replacement) -> None:
    """Raise TrainyardError where the second cluster stands in what stacks of the former have made."""
    former, successor = pair.former, pair.successor
    if pair.keeps_former:
        return
    own = {
        value: stack.name
        for stack in stacks_tagged(former.account, CLUSTER, former.name)
        for value in stack.outputs.values()
        if value.startswith(("subnet-", "vpc-", "sg-"))
    }
    text = str(render(successor.required_spec(), successor.outputs).documents)
    if used := sorted(value for value in own if value in text):
        raise TrainyardError(
            f"{successor.name} would stand in {', '.join(used)} of stack {own[used[0]]}, which goes with {former.name}",
            where="network",
            hint="add --keep-former, which leaves that stack; an environment is for what several clusters share",
        )


def _ways(lost: Sequence[ReplacementLoss]) -> str:
    words = " ".join(dict.fromkeys(f"--give-up {loss.name}" for loss in lost))
    return f"{'; '.join(dict.fromkeys(loss.remedy for loss in lost))}; {words} does without"
