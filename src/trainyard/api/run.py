"""Training runs: their files, what is wrong with them, and the jobs they become."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import trainyard.training
from trainyard.edge.bundle_folder import WrittenBundle, write_folder
from trainyard.finding import Finding
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec
from trainyard.training.run import Run
from trainyard.training.run_check import check_run
from trainyard.training.run_file import RunFile, read_run

__all__ = ["CheckedRun", "RenderedRun", "checked_run", "new_run", "render_run", "run_json_schema"]

_NEW = Path(trainyard.training.__file__).with_name("new")


class CheckedRun(NamedTuple):
    """A run, and what is wrong with it."""

    file: RunFile
    findings: tuple[Finding, ...]

    @property
    def has_errors(self) -> bool:
        """Return whether any finding is of severity error."""
        return any(finding.severity == "error" for finding in self.findings)


class RenderedRun(NamedTuple):
    """The job of a run as files. Where the run has errors there are none, and ``written`` is None."""

    findings: tuple[Finding, ...]
    files: tuple[str, ...]
    written: WrittenBundle | None


def new_run(template: str) -> str:
    """Return the text of a run to start from: ddp, fsdp, command, script or container."""
    return (_NEW / f"{template}.yaml").read_text(encoding="utf-8")


def checked_run(file: str, now: datetime | None = None) -> CheckedRun:
    """Read a run and the spec that it names, and say what is wrong.

    Raises FindingsError where one of the two cannot be read, or the spec has errors.
    """
    run = read_run(file)
    return CheckedRun(run, check_run(run, now or datetime.now(UTC)))


def render_run(
    file: str, folder: Path | None = None, *, force: bool = False, now: datetime | None = None
) -> RenderedRun:
    """Check a run and write its job, by default into build/NAME-run.

    Raises FindingsError where the run or its spec cannot be read, InputError where the folder must not be replaced.
    """
    checked = checked_run(file, now)
    if checked.has_errors:
        return RenderedRun(checked.findings, (), None)
    run, spec = checked.file.run, checked.file.spec
    files = {name: text.encode() for name, text in run_files(run, spec).items()}
    written = write_folder(folder or Path("build") / f"{run.name}-run", files, force=force)
    return RenderedRun(checked.findings, tuple(sorted(files)), written)


def run_files(run: Run, spec: Spec) -> dict[str, str]:
    """Return the job of a run as the platform of its cluster takes it, text by name."""
    part = platform_of(spec).training_jobs
    assert part is not None  # noqa: S101  read_run has refused environments
    return part().files(run, spec)


def run_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the file of a run."""
    from trainyard.record_schema import json_schemas  # noqa: PLC0415  pydantic itself, which nothing else here needs

    schemas, definitions = json_schemas({"run": Run})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "trainyard run",
        **schemas["run"],
        "$defs": definitions,
    }
