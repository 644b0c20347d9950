"""Rehearsing a deployment without an AWS account."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trainyard.checking.spec_file import Checked, check_file
from trainyard.edge.bundle_folder import write_folder
from trainyard.edge.text_file import read_text
from trainyard.errors import SpecError
from trainyard.rehearsal.rehearsing import Script, rehearse
from trainyard.rehearsal.report.report_page import report_page
from trainyard.rehearsal.report.terminal import summary as report_summary

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trainyard.deploy.work import Event

__all__ = ["rehearse_file", "report_page", "report_summary", "write_report"]


def rehearse_file(
    file: str, listener: Callable[[Event], None] = lambda _: None
) -> tuple[Checked, dict[str, Any] | None]:
    """Deploy a spec file into an emulated account and destroy it again. None where the spec has errors.

    The result has the shape of ``trainyard rehearse --json``.
    Raises FindingsError where the file is no spec, TrainyardError where the extra ``rehearse`` is not installed.
    """
    text = read_text(file)
    checked = check_file(file)
    if checked.parsed is None:
        raise SpecError(checked.findings)
    if checked.has_errors:
        return checked, None
    script = Script(checked.parsed.spec, text, checked.findings, checked.parsed.document)
    return checked, rehearse(script, listener)


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
