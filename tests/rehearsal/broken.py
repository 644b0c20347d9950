"""Rehearsals in which something goes wrong on purpose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trainyard.api.new import new_spec
from trainyard.checking.spec_file import rule_findings
from trainyard.rehearsal.archive import ArchiveFile
from trainyard.rehearsal.rehearsal import RehearsalSpec, rehearse
from trainyard.spec.parsing import parse


def broken(name: str, breakdown: str, archive: Path) -> dict[str, Any]:
    """Return what happened to an architecture, and leave the archive of it."""
    text = new_spec(name, ["monitoring.mode=none"])
    parsed = parse(text, "cluster.yaml")
    script = RehearsalSpec(parsed.spec, text, tuple(rule_findings(parsed)), parsed.document)
    return rehearse(script, lambda _: None, archive=ArchiveFile(archive), breakdown=breakdown)
