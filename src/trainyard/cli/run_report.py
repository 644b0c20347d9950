"""``trainyard run report``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli import suggestions
from trainyard.cli.options import account_options
from trainyard.cli.output import json_option, print_json, print_lines, print_text


@click.command()
@click.argument("run", metavar="[RUN]", required=False, shell_complete=suggestions.files)
@click.option("--jobs", metavar="FILE", help="What sacct, kubectl or aws batch printed about its jobs.")
@click.option(
    "--progress",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folder of its lines, rank-N.jsonl.",
)
@click.option(
    "--checkpoints", metavar="DIR", multiple=True, type=click.Path(path_type=Path), help="Folder of its checkpoints."
)
@click.option("--nodes", metavar="FILE", multiple=True, help="What trainyard nodes check or replace printed as JSON.")
@click.option(
    "--flight-recorder", metavar="DIR", type=click.Path(path_type=Path), help="Folder of PyTorch's dumps of its ranks."
)
@click.option("--prometheus", metavar="URL", help="Where its cluster's metrics are, for starts without progress.")
@account_options
@click.option(
    "--usd-per-gpu-hour", metavar="USD", type=click.FloatRange(min=0), help="Default: list price of the instance type."
)
@click.option("-o", "--output", "page", metavar="HTML", type=click.Path(path_type=Path), help="Write a page, too.")
@click.option(
    "--metrics", metavar="PROM", type=click.Path(path_type=Path), help="Write metrics for Prometheus, too; replaced."
)
@click.option("--force", is_flag=True, help="Replace HTML if it exists.")
@json_option
def command(  # noqa: PLR0913  every option is its own
    run: str | None,
    *,
    jobs: str | None,
    progress: tuple[Path, ...],
    checkpoints: tuple[Path, ...],
    nodes: tuple[str, ...],
    flight_recorder: Path | None,
    prometheus: str | None,
    region: str | None,
    profile: str | None,
    usd_per_gpu_hour: float | None,
    page: Path | None,
    metrics: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Say what a run was worth: how many of its GPU-hours were useful, and what the others were lost to.

    FILE is what `sacct -D --json`, `sacct -D -P -o ALL`, `kubectl get pods -o json` or `aws batch describe-jobs`
    printed; without RUN every run in it is told of. Set TZ=UTC for sacct. Without
    --jobs, the pods of RUN that `run watch` has kept in runs/NAME are taken (Amazon EKS). Where this machine sees the
    folder of RUN, its progress and checkpoints are read there. What nothing tells of is unknown, and said so. With
    --nodes, what nodes cost while they booted, waited for repair or were idle is told as well. With --prometheus, a
    forwarded port or a workspace of Amazon's, starts without a line of progress are told by what their GPUs did.

    \b
    Exit status: 0 the report is made; 2 there is nothing to account for.

    \b
    Example:
      sacct -D --json --name llama-8b -S 2026-11-01 > jobs.json
      trainyard run report run.yaml --jobs jobs.json -o report.html
      trainyard run report --jobs jobs.json --progress /fsx/runs/llama-8b/progress
      trainyard run report run.yaml --jobs jobs.json --prometheus http://localhost:9090
    """
    from trainyard.api.run_report import report_run, report_text, write_metrics, write_page

    values = report_run(
        run, jobs=jobs, progress=progress, checkpoints=checkpoints, nodes=nodes, flight_recorder=flight_recorder,
        prometheus=prometheus, region=region, profile=profile, usd_per_gpu_hour=usd_per_gpu_hour,
    )  # fmt: skip
    if page is not None:
        write_page(values, page, force=force)
    if metrics is not None:
        write_metrics(values, metrics)
    written = [str(file) for file in (page, metrics) if file is not None]
    if as_json:
        print_json({"written": written, **values})
        return
    print_lines(report_text(values))
    for file in written:
        print_text(f"written: {file}", err=True)
