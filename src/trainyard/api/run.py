"""Training runs: their files, what is wrong with them, and the jobs they become."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import trainyard.training
from trainyard.finding import Finding
from trainyard.training.run_check import check_run
from trainyard.training.run_file import RunFile, read_run

__all__ = ["CheckedRun", "checked_run", "new_run", "run_json_schema"]

_NEW = Path(trainyard.training.__file__).with_name("new")


class CheckedRun(NamedTuple):
    """A run, and what is wrong with it."""

    file: RunFile
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        """Return whether any finding is of severity error."""
        return any(finding.severity == "error" for finding in self.findings)


def new_run(template: str) -> str:
    """Return the text of a run to start from: ddp, fsdp, command, script or container."""
    return (_NEW / f"{template}.yaml").read_text(encoding="utf-8")


def checked_run(file: str, now: datetime | None = None) -> CheckedRun:
    """Read a run and the spec that it names, and say what is wrong.

    Raises FindingsError where one of the two cannot be read, or the spec has errors.
    """
    run = read_run(file)
    return CheckedRun(run, check_run(run, now or datetime.now(UTC)))


def run_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file of a run."""
    from trainyard.record_schema import json_schemas  # noqa: PLC0415  pydantic itself, which nothing else here needs
    from trainyard.training.run import Run  # noqa: PLC0415  as above

    schemas, definitions = json_schemas({"run": Run})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "trainyard run",
        **schemas["run"],
        "$defs": definitions,
    }
