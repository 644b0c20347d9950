"""Replacing a cluster that no update changes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from trainyard.api.cluster_reference import cluster_reference, names_file
from trainyard.api.deploy import FileDeployment, refuse_stand_ins, with_assets_lock
from trainyard.api.lock_file import lock_of
from trainyard.checking.spec_file import check_text
from trainyard.deploy.deployment import DeploymentResult, work_for
from trainyard.deploy.plan.cost import Cost, hourly_cost
from trainyard.deploy.preflight_step import preflight_findings
from trainyard.deploy.replacement import Replacement, refuse_replacement, replace_cluster
from trainyard.deploy.resume_commands import commands_after
from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws import s3
from trainyard.edge.text_file import read_text
from trainyard.errors import InputError, SpecError, TrainyardError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from trainyard.edge.aws.account import Account
    from trainyard.finding import Finding

__all__ = ["DeploymentResult", "ReplacementPlan", "replace_file"]


class ReplacementPlan(NamedTuple):
    """What is about to be done, for whoever is asked whether it may."""

    former: str
    successor: str
    account: Account
    queues: tuple[str, ...]
    """The queues that move, in their order; none where the former is on its way out already."""
    keeps_former: bool
    findings: tuple[Finding, ...]
    cost: Cost
    """What the second cluster costs beside the former while both are there."""


def replace_file(  # noqa: PLR0913  one for each option
    former: str,
    file: str,
    *,
    region: str | None = None,
    profile: str | None = None,
    queues: Collection[str] = (),
    keeps_former: bool = False,
    options: Options | None = None,
    lock: Path | None = None,
    listener: Callable[[Event], None] = lambda _: None,
    confirm: Callable[[ReplacementPlan], bool] = lambda _: True,
) -> FileDeployment:
    """Let the cluster of a spec file take over from another one, or go on where a call that ended early stopped.

    ``former`` is the name or the spec file of the other one. ``confirm`` is asked before anything is made.
    Raises FindingsError where a file is no spec, InputError where the two are in different regions, and TrainyardError
    where the second cluster cannot take over, or the account cannot be used.
    """
    text = read_text(file)
    checked = check_text(text, file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    spec = checked.parsed.spec
    if checked.has_errors:
        return FileDeployment(checked, (), None)
    refuse_stand_ins(checked.findings)
    name, where, bucket, _ = cluster_reference(former, region or (None if names_file(former) else spec.region), profile)
    if where.region != spec.region:
        hint = "file systems and accounting are of one region: a cluster takes over in that of the former"
        raise InputError(f"{former} is in {where.region}, and {file} says {spec.region}", where="region", hint=hint)
    chosen = replace(options or Options(), replaces=name)
    successor = with_assets_lock(work_for(spec, where, listener, chosen), lock_of(file, lock))
    held = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    leaving = with_assets_lock(Work(where, name, None, held, listener, replace(chosen, replaces=None)))
    pair = Replacement(leaving, successor, queues, keeps_former)
    refuse_replacement(pair)
    preflights = preflight_findings(successor, checked.parsed.document)
    if any(finding.severity == "error" for finding in preflights):
        return FileDeployment(checked, preflights, None)
    steps = () if pair.is_over else pair.part.steps(leaving, successor, queues)
    moves = tuple(step.title for step in steps)
    plan = ReplacementPlan(name, spec.name, where, moves, keeps_former, preflights, hourly_cost(spec))
    if not confirm(plan):
        raise TrainyardError("nothing was replaced, as you said")
    done = replace_cluster(pair, text)
    return FileDeployment(checked, preflights, done, commands_after(successor, done.stage, file, lock, profile=profile))
