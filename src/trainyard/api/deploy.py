"""Deploying specs to an AWS account, and destroying clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from trainyard.api.cluster_reference import account_at, region_of_spec
from trainyard.api.lock_file import lock_of
from trainyard.checking.spec_file import FileFindings, check_text
from trainyard.deploy.cluster_update import RunningJobs
from trainyard.deploy.deployment import (
    DeploymentResult,
    deploy,
    destroy,
    jobs_to_end,
    refuse_no_cluster,
    refuse_to_end_jobs,
    review_of,
    work_for,
)
from trainyard.deploy.plan.cost import Cost, hourly_cost
from trainyard.deploy.plan.former_cost import former_cost
from trainyard.deploy.preflight_step import preflight_findings
from trainyard.deploy.resume_commands import commands_after
from trainyard.deploy.shell_words import STANDARD_INPUT
from trainyard.deploy.steps.bucket import bucket_of_cluster
from trainyard.deploy.update_review import UpdateReview
from trainyard.deploy.work import Event, Options, Work
from trainyard.edge.aws import s3
from trainyard.edge.aws.account import Account, account
from trainyard.edge.aws.data_stores import data_stores
from trainyard.edge.aws.remembered_answers import remembering
from trainyard.edge.text_file import read_text
from trainyard.errors import SpecError, TrainyardError
from trainyard.rehearsal.kept_rehearsal import current_rehearsal
from trainyard.rehearsal.rehearsal import equip
from trainyard.render.tags import CLUSTER, ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trainyard.finding import Finding
    from trainyard.spec.cluster import Spec

__all__ = [
    "Account",
    "DeploymentResult",
    "Event",
    "FileDeployment",
    "Options",
    "Prospect",
    "RunningJobs",
    "account",
    "data_of",
    "deploy_file",
    "destroy_cluster",
    "jobs_of",
]


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a deployment would do to what exists, for whoever is asked whether it may."""

    review: UpdateReview
    refusals: tuple[TrainyardError, ...]
    cost: Cost
    former_cost: Cost | None
    """Of the spec as it was deployed last; None where there is none."""


@dataclass(frozen=True, slots=True)
class FileDeployment:
    """What became of a spec that was to be deployed. ``done`` is None where findings stopped it before anything."""

    checked: FileFindings
    preflights: tuple[Finding, ...]
    done: DeploymentResult | None
    next: tuple[str, ...] = ()
    """Commands that come next: see deploy/resume_commands.py."""

    @property
    def from_standard_input(self) -> bool:
        """Return whether the spec came from there: SPEC stands for it in the commands."""
        return self.checked.file == STANDARD_INPUT

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Return what the rules and the preflights found, and what became clear on the way."""
        return (*self.checked.findings, *self.preflights, *(self.done.findings if self.done else ()))


def deploy_file(  # noqa: PLR0913  one for each option
    file: str,
    *,
    region: str | None = None,
    profile: str | None = None,
    options: Options | None = None,
    lock: Path | None = None,
    listener: Callable[[Event], None] = lambda _: None,
    confirm: Callable[[Spec, Account, tuple[Finding, ...], Callable[[], Prospect]], bool] = lambda *_: True,
) -> FileDeployment:
    """Deploy a spec file, or go on where a call that ended early stopped. Nothing is made where there are errors.

    ``confirm`` is asked once everything has been looked at and before anything is made; its last argument asks the
    account what would change. ``lock`` is the lock of the
    assets, by default the one beside the spec; ``region`` has to be that of the spec, where it is given.
    Raises FindingsError where the file is no spec, InputError where the lock is damaged or not there, the region is
    another one or an environment is to stop before its cluster, and TrainyardError where the account cannot be used.
    """
    text = read_text(file)
    checked = check_text(text, file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    spec = checked.parsed.spec
    if checked.has_errors:
        return FileDeployment(checked, (), None)
    refuse_stand_ins(checked.findings)
    refuse_no_cluster(spec, options or Options())
    content = lock_of(file, lock)
    where = account_at(region_of_spec(spec, file, region), profile)
    work = with_assets_lock(work_for(spec, where, listener, options), content)
    preflights = preflight_findings(work, checked.parsed.document)
    if any(finding.severity == "error" for finding in preflights):
        return FileDeployment(checked, preflights, None)
    if not confirm(spec, where, preflights, partial(_prospect, spec, where, content)):
        raise TrainyardError("nothing was deployed, as you said")
    done = deploy(work, text)
    return FileDeployment(checked, preflights, done, commands_after(work, done.stage, file, lock, profile=profile))


def with_assets_lock(work: Work, lock: bytes | None = None) -> Work:
    """Return the work with the lock of its assets, or with what it needs where it is in a kept rehearsal."""
    work.assets_lock = lock
    if (kept := current_rehearsal()) is not None:
        equip(work, kept)
    return work


def _prospect(spec: Spec, where: Account, lock: bytes | None) -> Prospect:
    """Return what would change. Nothing is touched."""
    work = with_assets_lock(work_for(spec, where), lock)
    work.account = remembering(work.account)
    review, refusals = review_of(work)
    return Prospect(review, tuple(refusals), hourly_cost(spec), former_cost(work))


def refuse_stand_ins(findings: tuple[Finding, ...]) -> None:
    """Raise TrainyardError where the spec still holds what a reference architecture left for the user to write."""
    left = [finding for finding in findings if finding.id == "stand-in-left"]
    if left:
        raise TrainyardError(
            f"the spec is not finished: {left[0].message}",
            where=f"{left[0].file}:{left[0].line}",
            hint=left[0].remedy,
        )


def destroy_cluster(
    name: str,
    where: Account,
    *,
    bucket: str | None = None,
    options: Options | None = None,
    listener: Callable[[Event], None] = lambda _: None,
) -> DeploymentResult:
    """Remove a cluster and what was made for it. What holds data stays, unless the options say otherwise.

    ``bucket`` is the one that its spec named, where it named one and no stack is left that says so. Raises
    TrainyardError where the account cannot be used, or where there is nothing of that name.
    """
    held = bucket or bucket_of_cluster(where, name) or s3.own_bucket(where)
    done = destroy(with_assets_lock(Work(where, name, None, held, listener, options or Options())))
    if not (done.kept or done.refused or any(result.status != "unchanged" for result in done.results)):
        raise TrainyardError(
            f"there is nothing called {name} in {where.region} of account {where.id}",
            where=name,
            hint="compare name, region and --profile; where it was destroyed already, nothing is left to do",
        )
    return done


def data_of(name: str, where: Account) -> tuple[str, ...]:
    """Return what holds data of a cluster or environment, with its size.

    Raises TrainyardError where AWS does not say.
    """
    works = (Work(where, name, None, s3.own_bucket(where), tag=tag) for tag in (CLUSTER, ENVIRONMENT))
    return tuple(str(store) for work in works for store in data_stores(where, name, work.owns))


def jobs_of(name: str, where: Account, options: Options | None = None) -> RunningJobs:
    """Return the jobs that destroying a cluster would end.

    Raises TrainyardError where AWS does not say, and where there are any that the options do not let end.
    """
    work = with_assets_lock(Work(where, name, None, s3.own_bucket(where), options=options or Options(end_jobs=True)))
    jobs = jobs_to_end(work)
    refuse_to_end_jobs(work, jobs)
    return jobs
