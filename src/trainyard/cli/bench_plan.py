"""``trainyard bench plan``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from trainyard.cli import suggestions
from trainyard.cli.output import finding_text, json_option, print_json, print_text, severity_counts, styled
from trainyard.counts import count_text

if TYPE_CHECKING:
    from trainyard.api.bench_plan import BenchJob, BenchPlan
    from trainyard.render.bench.job import Phase

_PHASES = {1: "within a node", 2: "over more and more nodes", 3: "as training uses it", 4: "one variable at a time"}


@click.command()
@click.argument("spec", metavar="SPEC", shell_complete=suggestions.files)
@click.option(
    "-o", "--output", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Default: build/NAME-bench."
)
@click.option("--phase", metavar="NUMBER", type=click.IntRange(1, 4), help="Only one of the four phases.")
@click.option("--container", is_flag=True, help="On Slurm, run the tests in a container, with Pyxis.")
@click.option(
    "--force", is_flag=True, help="Replace a DIR that trainyard did not make, or that was changed; it is moved aside."
)
@json_option
def command(  # noqa: PLR0913  one for each option
    spec: str, folder: Path | None, phase: int | None, *, container: bool, force: bool, as_json: bool
) -> None:
    """Write the NCCL bandwidth tests of the cluster in SPEC, as jobs for its Slurm, AWS Batch or Amazon EKS.

    Phase 1 measures within a node, 2 over 2, 4, 8 and more nodes up to all of a queue, 3 what training does: a mixture
    of experts, latency, bandwidth, send and receive, and 4 NCCL's algorithms, protocols and channels, each beside a
    run without it.

    For Slurm, copy DIR to a folder that all nodes see, such as your home, and submit the jobs there with sbatch.
    For AWS Batch, `aws batch submit-job --cli-input-json` takes them, for Amazon EKS `kubectl apply -f`.
    `bench submit` does it on any of them.

    \b
    Exit status: 0 fine; 1 the spec has errors, or no nodes to measure; 2 SPEC
    could not be read, or DIR is not ours to replace.

    \b
    Example:
      trainyard bench plan cluster.yaml -o bench/
      trainyard bench plan cluster.yaml --phase 1 --container
    """
    from trainyard.api.bench_plan import plan_bench

    planned = plan_bench(spec, folder, phase=cast("Phase | None", phase), container=container, force=force)
    if as_json:
        print_json(_as_json(planned))
    else:
        _print(planned)
    sys.exit(1 if planned.written is None else 0)


def _print(planned: BenchPlan) -> None:
    for finding in planned.checked.findings:
        print_text(finding_text(finding), err=True)
    if planned.written is None:
        print_text(f"nothing was written: {severity_counts(planned.checked.findings)}", err=True)
        return
    if planned.written.backup is not None:
        print_text(f"the former folder is kept as {planned.written.backup}", err=True)
    for reason in planned.left_out:
        print_text(f"left out: {reason}", err=True)
    for phase, what in _PHASES.items():
        _print_phase(planned, what, [job for job in planned.jobs if job.phase == phase], phase)
    print_text(f"{count_text(len(planned.jobs), 'job')} in {planned.written.folder}")


def _print_phase(planned: BenchPlan, what: str, jobs: list[BenchJob], phase: int) -> None:
    if not jobs or planned.written is None:
        return
    print_text(styled(f"Phase {phase}: {what}", bold=True))
    for job in jobs:
        file = planned.written.folder / planned.file_of[job.id]
        print_text(f"  {file}  {job.nodes} × {job.instance_type}: {job.title}")


def _as_json(planned: BenchPlan) -> dict[str, Any]:
    written = planned.written
    return {
        "folder": None if written is None else str(written.folder),
        "kept": None if written is None or written.backup is None else str(written.backup),
        "files": list(planned.files),
        "jobs": [_job(job, planned.file_of[job.id]) for job in planned.jobs],
        "left_out": list(planned.left_out),
        "findings": [finding.as_json() for finding in planned.checked.findings],
    }


def _job(job: BenchJob, file: str) -> dict[str, Any]:
    return {
        "id": job.id,
        "phase": job.phase,
        "title": job.title,
        "why": job.why,
        "file": file,
        "queue": job.queue,
        "instance_type": job.instance_type,
        "nodes": job.nodes,
        "ranks": job.ranks,
        "programs": list(job.binaries),
        "begin_bytes": job.begin_bytes,
        "end_bytes": job.end_bytes,
        "iterations": job.iterations,
        "environment": dict(job.environment),
        "container": job.container,
        "time_limit_min": job.time_limit_min,
        "control_of": job.control_of,
    }
