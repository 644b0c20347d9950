"""``trainyard run watch``."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli.interrupts import interruptible
from trainyard.cli.output import json_option, print_json, print_text, reporter
from trainyard.cli.run_options import place_of, run_place_options
from trainyard.foreign_text import quoted

if TYPE_CHECKING:
    from trainyard.api.run_submit import RunState


@click.command()
@run_place_options
@click.option("--once", is_flag=True, help="Look once, and do not wait for its end.")
@json_option
def command(*, run: str, once: bool, as_json: bool, **where: Any) -> None:
    """Show how the run of the file RUN goes, until it has ended: its job, its nodes, steps, loss and checkpoints.

    Steps are known where the program writes a line of progress for each, and the
    cluster has a head node that sees the run's folder. --json prints an object
    for each look. On Amazon EKS each look also keeps the run's pods in pods.json,
    beside what is remembered of the run, for `trainyard run report`.

    \b
    Exit status: 0 it has come to its end, or is under way with --once; 1 it has
    failed or was taken back; 2 the command line is wrong.

    \b
    Example:
      trainyard run watch run.yaml
      trainyard run watch run.yaml --once --json
    """
    from trainyard.api.run_submit import look, watch

    last = None
    with interruptible("the run goes on; repeat the command to see more"):
        place = place_of(run, **where)
        for state in [look(place, reporter())] if once else watch(place, tell=reporter()):
            if as_json:
                print_json(_values(state))
            elif (line := _line(state)) != last:
                print_text(line)
                last = line
    sys.exit(0 if state.state.state == "COMPLETED" or not state.state.ended else 1)


def _line(state: RunState) -> str:
    job, progress = state.state, state.progress
    parts = [f"job {state.job} {job.state.lower()}" + (f" on {job.nodes}" if job.nodes else "")]
    if job.reason:
        parts.append(quoted(job.reason))
    if progress.attempt:
        parts.append(f"start {progress.attempt + 1}")
    if progress.step is not None:
        parts.append(f"step {progress.step}")
    if progress.loss is not None:
        parts.append(f"loss {progress.loss:.4g}")
    if progress.step_s is not None:
        parts.append(f"{progress.step_s:.3g} s a step")
    if progress.checkpoint is not None:
        parts.append(f"checkpoint of step {progress.checkpoint}")
    if progress.time is not None and job.state == "RUNNING":
        silent_s = datetime.now(UTC).timestamp() - progress.time
        parts += [f"silent for {silent_s / 60:.0f} min"] if silent_s >= 60 else []
    return ", ".join(parts)


def _values(state: RunState) -> dict[str, Any]:
    job = state.state
    return {
        "job": state.job,
        "state": job.state,
        "ended": job.ended,
        "reason": job.reason or None,
        "nodes": job.nodes or None,
        "progress": state.progress._asdict(),
    }
