"""A whole deployment and its destruction, in an account that is emulated on this machine."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from trainyard.bundle.asset_lock import lock_text
from trainyard.deploy.deployment import deploy, destroy, work_for
from trainyard.deploy.engine import StepResult, apply_all
from trainyard.deploy.preflight_step import preflight_findings
from trainyard.deploy.steps.bucket import bucket_of
from trainyard.deploy.work import Event, Options, Work
from trainyard.document.node import Document
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.aws.account import Account, Clock
from trainyard.edge.new_archive import refuse_existing
from trainyard.edge.pcluster_command import artifact_bucket
from trainyard.finding import Finding
from trainyard.platform_parts import RehearsedPrograms
from trainyard.platform_table import platform_of
from trainyard.rehearsal.archive import ArchiveFile, write_archive
from trainyard.rehearsal.emulated.emulated_account import KEY_HEADER, emulated_account
from trainyard.rehearsal.emulated.seeds import seeds_of, seeds_with_environment
from trainyard.rehearsal.kept_rehearsal import KeptRehearsal, new_rehearsal, stop
from trainyard.rehearsal.report.conditions import only_aws_can_tell, proved_claims
from trainyard.rehearsal.stacks import made_stacks
from trainyard.rehearsal.stand_in_assets import place_stand_ins, stand_in_lock
from trainyard.render.diagram.architecture import architecture_svg
from trainyard.spec.cluster import Spec
from trainyard.stop_request import pause
from trainyard.version import __version__

_HURRY = 200.0
_LONGEST_PAUSE_S = 0.05
_PAGE_TIMEOUT_S = 60.0


class QuickClock(Clock):
    """A clock for waiting on an account that is done at once."""

    def sleep(self, seconds: float) -> None:
        """Wait, but not long."""
        pause(min(seconds / _HURRY, _LONGEST_PAUSE_S))


@dataclass(frozen=True, slots=True)
class RehearsalSpec:
    """A spec to be rehearsed."""

    spec: Spec
    text: str
    findings: tuple[Finding, ...]
    """What the rules found."""
    document: Document
    """What it was read from."""
    environment: RehearsalSpec | None = None
    """The spec of the environment that it is in, which is made before and removed after it."""


@dataclass
class _Rehearsal:
    """What has happened so far."""

    script: RehearsalSpec
    account: Account
    listener: Callable[[Event], None]
    programs: RehearsedPrograms
    folder: Path
    """Where files may be put."""
    archive: ArchiveFile | None = None
    archived: str | None = None
    """The archive, once it is written."""
    breakdown: str | None = None
    events: list[Event] = field(default_factory=list)
    steps: list[StepResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    stacks: list[dict[str, Any]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    reached: list[str] = field(default_factory=list)
    """The steps of the spec's deployment that succeeded, and the stages of the whole."""

    def listen(self, event: Event) -> None:
        """Keep an event of the deployment, and hand it on."""
        self.events.append(event)
        self.listener(event)


def rehearse(
    script: RehearsalSpec,
    listener: Callable[[Event], None],
    *,
    archive: ArchiveFile | None = None,
    breakdown: str | None = None,
) -> dict[str, Any]:
    """Deploy a spec into an emulated account, destroy it again, and return all that happened.

    The shape is that of ``trainyard rehearse --json``. What is left of the deployment goes into ``archive``;
    ``breakdown`` is what goes wrong on purpose: see emulated/breakdown.py.
    Raises InputError where the archive exists and is not to be replaced, TrainyardError where it cannot be written.
    """
    started = time.time()
    if archive is not None:
        refuse_existing(archive.file, force=archive.force)
    with emulated_account(script.spec.region, seeds=_seeds(script, breakdown)) as emulated:
        account = replace(emulated, clock=QuickClock())
        with (
            platform_of(script.spec)
            .rehearsal()
            .programs(account, script.spec, _reported(account, listener)) as programs,
            tempfile.TemporaryDirectory(prefix="trainyard-rehearsal-") as folder,
        ):
            before = inventory(account)
            rehearsal = _Rehearsal(script, account, listener, programs, Path(folder), archive, breakdown=breakdown)
            _deploy_and_destroy(rehearsal)
        after, calls = inventory(account), page(account, "calls")
        after = [thing for thing in after if not _is_parallelclusters_own(thing, account)]
    left = [thing for thing in after if thing not in before]
    if "destroyed" in rehearsal.reached and not left:
        rehearsal.reached.append("nothing_left")
    return _result(rehearsal, started) | {
        "inventory": {"before": len(before), "after": len(after), "left": left},
        "calls": calls,
        "ok": "nothing_left" in rehearsal.reached,
        "seconds": round(time.time() - started, 1),
    }


def rehearse_and_keep(
    script: RehearsalSpec,
    listener: Callable[[Event], None],
    *,
    name: str | None = None,
    breakdown: str | None = None,
) -> tuple[KeptRehearsal | None, dict[str, Any]]:
    """Deploy a spec into an emulated account that stays, also where that failed, and return it and what happened.

    No account stays where findings stopped it before anything, and where an error or Ctrl-C ended it. ``name`` is that
    of the spec by default. Raises InputError where a rehearsal of this name is kept already.
    """
    started, spec, environment = time.time(), script.spec, script.environment
    seeds = _seeds(script, breakdown)
    with ExitStack() as stack:
        about = {"cluster": spec.name, "platform": spec.platform}
        kept = stack.enter_context(new_rehearsal(name or spec.name, spec.region, about, seeds))
        account = replace(kept.account, clock=QuickClock())
        programs = platform_of(spec).rehearsal().programs(account, spec, _reported(account, listener))
        rehearsal = _Rehearsal(
            script, account, listener, stack.enter_context(programs), kept.folder, breakdown=breakdown
        )
        deployed = environment is None or _deployed(rehearsal, environment)[1]
        if deployed and _deployed(rehearsal, script)[1]:
            rehearsal.reached.append("deployed")
    if not rehearsal.steps:
        stop(kept)
    result = _result(rehearsal, started)
    result |= {"ok": "deployed" in rehearsal.reached, "seconds": round(time.time() - started, 1)}
    return (kept if rehearsal.steps else None), result


def equip(work: Work, kept: KeptRehearsal) -> None:
    """Let a deployment or destruction work in a kept rehearsal as in any: it waits shortly, and downloads nothing."""
    work.account = replace(work.account, clock=QuickClock())
    if work.account.kubectl is not None:
        work.kubectl = work.account.kubectl
    if work.spec is not None:
        _stand_in_for_assets(work, kept.folder)


def _seeds(script: RehearsalSpec, breakdown: str | None) -> dict[str, Any]:
    seeds = seeds_of(script.spec, faults={"breakdown": breakdown})
    return seeds if script.environment is None else seeds_with_environment(seeds, seeds_of(script.environment.spec))


def _reported(account: Account, listener: Callable[[Event], None]) -> Callable[[str], None]:
    return lambda text: listener(Event(account.clock.now(), "set-up", "progress", text))


def _deploy_and_destroy(rehearsal: _Rehearsal) -> None:
    environment = rehearsal.script.environment
    if environment is not None and not _environment_made(rehearsal, environment):
        return
    work, deployed = _deployed(rehearsal, rehearsal.script)
    if work is None:
        return
    if deployed and _jobs_taken(rehearsal, work):
        rehearsal.reached.append("deployed")
    _archive(rehearsal, work)
    # As people do, keeping what holds data; and then all of it.
    for script, delete_data in ((rehearsal.script, False), (rehearsal.script, True), (environment, True)):
        if script is not None and not _destroyed(rehearsal, script.spec, delete_data=delete_data):
            return
    if "deployed" in rehearsal.reached:
        rehearsal.reached.append("destroyed")


def _environment_made(rehearsal: _Rehearsal, environment: RehearsalSpec) -> bool:
    """Deploy the environment; where that fails, it is all that there is to keep logs of, and to destroy."""
    work, deployed = _deployed(rehearsal, environment)
    if work is not None and not deployed:
        _archive(rehearsal, work)
        _destroyed(rehearsal, environment.spec, delete_data=True)
    return deployed


def _archive(rehearsal: _Rehearsal, work: Work) -> None:
    if rehearsal.archive is not None:
        write_archive(work, rehearsal.events, rehearsal.archive)
        rehearsal.archived = str(rehearsal.archive.file)


def _deployed(rehearsal: _Rehearsal, script: RehearsalSpec) -> tuple[Work | None, bool]:
    """Deploy a spec unless the account says something against it; return the work, and whether it succeeded."""
    work = work_for(script.spec, rehearsal.account, rehearsal.listen, _options(rehearsal))
    rehearsal.programs.equip(work)
    _stand_in_for_assets(work, rehearsal.folder)
    rehearsal.findings += preflight_findings(work, script.document)
    if any(finding.severity == "error" for finding in rehearsal.findings):
        return None, False
    if script is rehearsal.script:
        rehearsal.reached.append("checked")
    deployed = deploy(work, script.text)
    rehearsal.steps += deployed.results
    if script is rehearsal.script:
        rehearsal.reached += _succeeded(deployed.results)
    rehearsal.findings += deployed.findings
    rehearsal.stacks += made_stacks(work)
    return work, deployed.ok


def _destroyed(rehearsal: _Rehearsal, spec: Spec, *, delete_data: bool) -> bool:
    work = Work(
        rehearsal.account, spec.name, None, bucket_of(spec, rehearsal.account), rehearsal.listener,
        _options(rehearsal, delete_data=delete_data),
    )  # fmt: skip
    rehearsal.programs.equip(work)
    destroyed = destroy(work)
    rehearsal.steps += destroyed.results
    rehearsal.kept += destroyed.kept
    return destroyed.ok


def _options(rehearsal: _Rehearsal, *, delete_data: bool = False) -> Options:
    """Return the options, with a kubeconfig of the rehearsal's own: that of the user stays out of it."""
    return Options(delete_data=delete_data, end_jobs=True, kubeconfig=rehearsal.folder / "kubeconfig")


def _jobs_taken(rehearsal: _Rehearsal, work: Work) -> bool:
    """Submit jobs where any can run, and return whether the cluster took them."""
    step = platform_of(rehearsal.script.spec).rehearsal().jobs()
    results = [] if step is None else apply_all([step], work)
    rehearsal.steps += results
    rehearsal.reached += _succeeded(results)
    return all(result.error is None for result in results)


def _succeeded(results: Iterable[StepResult]) -> list[str]:
    return [result.name for result in results if result.error is None]


def _stand_in_for_assets(work: Work, folder: Path) -> None:
    """Lock small files that were made up, and have them at hand: nothing is downloaded in a rehearsal."""
    lock = stand_in_lock(work.required_spec())
    place_stand_ins(lock, folder)
    work.assets_lock, work.asset_cache = lock_text(lock).encode(), AssetCache(folder)


def _result(rehearsal: _Rehearsal, started: float) -> dict[str, Any]:
    spec = rehearsal.script.spec
    reached = [*rehearsal.reached, *rehearsal.programs.reached]
    return {
        "schema": 1,
        "ok": False,
        "name": spec.name,
        "region": spec.region,
        "platform": spec.platform,
        "environment": spec.environment,
        "parallelcluster_version": (
            spec.parallelcluster.version if platform_of(spec).made_by_parallelcluster else None
        ),
        "trainyard_version": __version__,
        "started": datetime.fromtimestamp(started, UTC).isoformat(timespec="seconds"),
        "seconds": 0.0,
        "steps": [_step(result, started) for result in rehearsal.steps],
        "stacks": (stacks := [_since(stack, started) for stack in rehearsal.stacks]),
        "resources": [{"stack": stack["name"], **resource} for stack in stacks for resource in stack["resources"]],
        "kept": rehearsal.kept,
        "findings": [finding.as_json() for finding in (*_rule_findings(rehearsal.script), *rehearsal.findings)],
        "proved": proved_claims(spec, reached),
        "only_aws_can_tell": [*only_aws_can_tell(spec, reached), *rehearsal.programs.unproved],
        "diagram": architecture_svg(spec),
        "archive": rehearsal.archived,
        "breakdown": rehearsal.breakdown,
    }


def _rule_findings(script: RehearsalSpec) -> tuple[Finding, ...]:
    return (*(() if script.environment is None else script.environment.findings), *script.findings)


def inventory(account: Account) -> list[str]:
    """Return everything that exists in an emulated account."""
    inventory: dict[str, list[str]] = page(account, "inventory")
    return [f"{kind}: {name}" for kind, names in inventory.items() for name in names]


def page(account: Account, name: str) -> Any:
    """Return a page of the emulated account: see emulated/pages.py."""
    return _asked_page(account, "GET", name, None)


def tell_page(account: Account, name: str, value: Any) -> Any:
    """Give a page of the emulated account a value, and return its answer: see TAKES in emulated/pages.py."""
    return _asked_page(account, "PUT", name, json.dumps(value))


def _asked_page(account: Account, method: str, name: str, body: str | None) -> Any:
    address = urlsplit(account.endpoint or "")
    connection = HTTPConnection(str(address.hostname), address.port, timeout=_PAGE_TIMEOUT_S)
    try:
        connection.request(method, f"/trainyard/{name}", body, headers={KEY_HEADER: account.access_key_id})
        return json.load(connection.getresponse())
    finally:
        connection.close()


def _is_parallelclusters_own(thing: str, account: Account) -> bool:
    """Return whether this is the bucket that ParallelCluster makes for an account and region, and never removes."""
    return artifact_bucket(account.id, account.region) in thing


def _step(result: StepResult, started: float) -> dict[str, Any]:
    error = result.error
    return {
        "name": result.name,
        "title": result.title,
        "action": result.action,
        "status": "skipped" if result.status == "unchanged" else result.status,
        "started_s": round(result.started - started, 2),
        "seconds": round(result.seconds, 2),
        "detail": result.detail,
        "error": None if error is None else {"problem": error.problem, "where": error.where, "hint": error.hint},
    }


def _since(stack: dict[str, Any], started: float) -> dict[str, Any]:
    """Return a stack whose times count from the beginning."""
    resources = [
        {**resource, "started_s": round(resource["started_s"] - started, 2)} for resource in stack["resources"]
    ]
    return {**stack, "resources": resources}
