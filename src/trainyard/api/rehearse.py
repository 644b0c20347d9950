"""Rehearsing a deployment without an AWS account."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainyard.checking.spec_file import Checked, check_file
from trainyard.edge.bundle_folder import refuse_folder, write_folder
from trainyard.edge.text_file import read_text
from trainyard.errors import InputError, SpecError
from trainyard.operate.logs.archive_name import refuse_other_endings
from trainyard.rehearsal.archive import Wanted
from trainyard.rehearsal.emulated.breakdown import breakdowns
from trainyard.rehearsal.rehearsing import Script, rehearse
from trainyard.rehearsal.report.report_page import report_page
from trainyard.rehearsal.report.terminal import summary as report_summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trainyard.deploy.work import Event

__all__ = ["refuse_folder", "rehearse_file", "report_page", "report_summary", "what_can_break_down", "write_report"]


def rehearse_file(
    file: str,
    listener: Callable[[Event], None] = lambda _: None,
    *,
    archive: Path | None = None,
    force: bool = False,
    breakdown: str | None = None,
) -> tuple[Checked, dict[str, Any] | None]:
    """Deploy a spec file into an emulated account and destroy it again. None where the spec has errors.

    The result has the shape of ``trainyard rehearse --json``. ``archive`` takes the logs and events of the deployment,
    as `trainyard diagnose` reads them; ``force`` replaces it. ``breakdown`` goes wrong on purpose: see breakdowns().
    Raises FindingsError where the file is no spec, InputError where the archive exists or there is no such breakdown,
    TrainyardError where the extra ``rehearse`` is not installed or the archive cannot be written.
    """
    _refuse_unknown(breakdown)
    if archive is not None:
        refuse_other_endings(archive, "--archive")
    text = read_text(file)
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    if checked.has_errors:
        return checked, None
    script = Script(checked.parsed.spec, text, checked.findings, checked.parsed.document)
    wanted = None if archive is None else Wanted(archive, force)
    return checked, rehearse(script, listener, archive=wanted, breakdown=breakdown)


def what_can_break_down() -> dict[str, str]:
    """Return what can go wrong on purpose: names, and what happens."""
    return {name: found.what for name, found in breakdowns().items()}


def _refuse_unknown(breakdown: str | None) -> None:
    if breakdown is not None and breakdown not in breakdowns():
        known = ", ".join(breakdowns())
        raise InputError(f"nothing breaks down as {breakdown!r}", where="--break", hint=f"choose one of {known}")


def write_report(result: Mapping[str, Any], folder: Path | None = None, *, force: bool = False) -> Path:
    """Write rehearsal.json, rehearsal.html and the drawing, by default into build/NAME-rehearsal; return the folder.

    Raises InputError where the folder must not be replaced, TrainyardError where it cannot be written.
    """
    folder = folder or Path("build") / f"{result['name']}-rehearsal"
    files = {
        "rehearsal.json": json.dumps(result, indent=2, ensure_ascii=False) + "\n",
        "rehearsal.html": report_page(result),
        "architecture.svg": result["diagram"],
    }
    return write_folder(folder, {name: text.encode() for name, text in files.items()}, force=force).folder
