"""Rehearsing a deployment without an AWS account."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainyard.checking.spec_file import FileFindings, check_text
from trainyard.deploy.record import read_record
from trainyard.edge.aws import s3
from trainyard.edge.bundle_folder import refuse_folder, write_folder
from trainyard.edge.text_file import read_text
from trainyard.errors import InputError, SpecError
from trainyard.operate.logs.export import refuse_other_endings
from trainyard.platform_table import platform_of
from trainyard.redaction.secrets import values_without_secrets
from trainyard.rehearsal.archive import ArchiveFile
from trainyard.rehearsal.emulated.breakdown import breakdowns
from trainyard.rehearsal.environment_option import refuse_missing_environment, refuse_other_environment
from trainyard.rehearsal.kept_rehearsal import KeptRehearsal, kept_rehearsal, kept_rehearsals, stop
from trainyard.rehearsal.rehearsal import RehearsalSpec, rehearse, rehearse_and_keep, tell_page
from trainyard.rehearsal.report.conditions import conditions
from trainyard.rehearsal.report.report_page import report_page
from trainyard.rehearsal.report.terminal import summary as report_summary
from trainyard.spec.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trainyard.deploy.work import Event
    from trainyard.spec.cluster import Spec

__all__ = [
    "KeptRehearsal",
    "break_kept",
    "keep_file",
    "kept_rehearsal",
    "kept_rehearsals",
    "refuse_folder",
    "rehearse_file",
    "report_page",
    "report_summary",
    "stop",
    "what_can_break_down",
    "write_report",
]


def rehearse_file(  # noqa: PLR0913  one for each option
    file: str,
    listener: Callable[[Event], None] = lambda _: None,
    *,
    archive: Path | None = None,
    force: bool = False,
    breakdown: str | None = None,
    environment: str | None = None,
) -> tuple[FileFindings, dict[str, Any] | None]:
    """Deploy a spec file into an emulated account and destroy it again. None where a spec has errors, which is told.

    The result has the shape of ``trainyard rehearse --json``. ``archive`` takes the logs and events of the deployment,
    as `trainyard diagnose` reads them; ``force`` replaces it. ``breakdown`` goes wrong on purpose: see breakdowns().
    ``environment`` is the spec file of the environment that the cluster is in.
    Raises FindingsError where a file is no spec, InputError where the archive exists, there is no such breakdown or the
    environment is missing or another one, TrainyardError where the extra ``rehearse`` is not installed or the archive
    cannot be written.
    """
    _refuse_unknown(breakdown)
    if archive is not None:
        refuse_other_endings(archive, "--archive")
    checked, script = _whole_script(file, environment, breakdown)
    if script is None:
        return checked, None
    archive_file = None if archive is None else ArchiveFile(archive, force)
    return checked, rehearse(script, listener, archive=archive_file, breakdown=breakdown)


def keep_file(
    file: str,
    listener: Callable[[Event], None] = lambda _: None,
    *,
    name: str | None = None,
    breakdown: str | None = None,
    environment: str | None = None,
) -> tuple[FileFindings, KeptRehearsal | None, dict[str, Any] | None]:
    """Deploy a spec file into an emulated account that stays up; see rehearse_file for arguments and errors.

    Return what stays, None where findings stopped it, and what happened, None where the spec has errors. ``name`` is
    that of the cluster by default. Raises InputError where a rehearsal of this name is kept already.
    """
    _refuse_unknown(breakdown)
    checked, script = _whole_script(file, environment, breakdown)
    if script is None:
        return checked, None, None
    return checked, *rehearse_and_keep(script, listener, name=name, breakdown=breakdown)


def break_kept(kept: KeptRehearsal, breakdown: str | None) -> None:
    """Let one thing go wrong in a kept rehearsal from now on, and nothing else; nothing at all with None.

    Nodes of ParallelCluster start anew. Raises InputError for what there is not, what strikes nothing of the spec as it
    was deployed last, or where nothing is deployed.
    """
    _refuse_unknown(breakdown)
    if breakdown is not None:
        _refuse_without_effect(breakdown, _deployed_spec(kept))
    tell_page(kept.account, "breakdown", breakdown)


def _deployed_spec(kept: KeptRehearsal) -> Spec:
    record = read_record(kept.account, s3.own_bucket(kept.account), kept.cluster)
    if record is None:
        hint = "deploy it there, or end the rehearsal with --stop"
        raise InputError(f"nothing of {kept.cluster} is deployed that could break", where="--break", hint=hint)
    return parse(record.spec_text, "the spec as it was deployed").spec


def _whole_script(
    file: str, environment: str | None, breakdown: str | None
) -> tuple[FileFindings, RehearsalSpec | None]:
    """Return what a spec file and that of its environment say; None where one has errors, which are returned then."""
    checked, script = _script(file)
    if script is None:
        return checked, None
    _refuse_without_effect(breakdown, script.spec)
    if environment is None:
        refuse_missing_environment(script.spec, file)
        return checked, script
    checked_environment, around = _script(environment)
    if around is None:
        return checked_environment, None
    refuse_other_environment(script.spec, around.spec, environment)
    return checked, replace(script, environment=around)


def _script(file: str) -> tuple[FileFindings, RehearsalSpec | None]:
    """Return what a spec file says. Raises SpecError where it is none."""
    text = read_text(file)
    checked = check_text(text, file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    if checked.has_errors:
        return checked, None
    return checked, RehearsalSpec(checked.parsed.spec, text, checked.findings, checked.parsed.document)


def what_can_break_down() -> dict[str, str]:
    """Return what can go wrong on purpose: names, and what happens."""
    return {name: breakdown.what for name, breakdown in breakdowns().items()}


def _refuse_unknown(breakdown: str | None) -> None:
    if breakdown is not None and breakdown not in breakdowns():
        choices = ", ".join(breakdowns())
        raise InputError(f"nothing breaks down as {breakdown!r}", where="--break", hint=f"choose one of {choices}")


def _refuse_without_effect(breakdown: str | None, spec: Spec) -> None:
    effective = effective_breakdowns(spec)
    if breakdown is not None and breakdown not in effective:
        title = platform_of(spec).title
        raise InputError(
            f"{breakdown} breaks nothing of {spec.name}: {breakdowns()[breakdown].what}",
            where="--break",
            hint=f"of this spec on {title} choose one of {', '.join(effective)}"
            if effective
            else f"nothing of this spec on {title} can break down",
        )


def effective_breakdowns(spec: Spec) -> list[str]:
    """Return the names of what can go wrong on purpose with a spec: what it strikes is there."""
    strikes, had = platform_of(spec).rehearsal().STRIKES, conditions(spec)
    return [name for name, known in breakdowns().items() if known.strikes in strikes and known.needs in ("", *had)]


def write_report(result: Mapping[str, Any], folder: Path | None = None, *, force: bool = False) -> Path:
    """Write rehearsal.json, rehearsal.html and the drawing, by default into build/NAME-rehearsal; return the folder.

    Raises InputError where the folder must not be replaced, TrainyardError where it cannot be written.
    """
    folder = folder or Path("build") / f"{result['name']}-rehearsal"
    result = values_without_secrets(result)
    files = {
        "rehearsal.json": json.dumps(result, indent=2, ensure_ascii=False) + "\n",
        "rehearsal.html": report_page(result),
        "architecture.svg": result["diagram"],
    }
    return write_folder(folder, {name: text.encode() for name, text in files.items()}, force=force).folder
