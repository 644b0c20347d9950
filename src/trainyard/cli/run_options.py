"""The options of commands that reach the cluster of a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.options import account_options
from trainyard.errors import InputError

if TYPE_CHECKING:
    from trainyard.api.run_submit import RunPlace

_OPTIONS = (
    click.argument("run", metavar="RUN", shell_complete=suggestions.files),
    account_options,
    click.option("--bucket", metavar="BUCKET", help="The assets.bucket of the spec, where no stack is left."),
    click.option("--ssh", metavar="HOST", help="The head node as ssh takes it, in place of Systems Manager."),
    click.option("--local", is_flag=True, help="Slurm is on this machine, or a lab's."),
    click.option("--results", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
                 help="Where is remembered what was submitted. [default: runs/NAME]"),
)  # fmt: skip


def run_place_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add RUN and where its cluster is."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def place_of(run: str, *, local: bool, **where: Any) -> RunPlace:
    """Return the run and its cluster. Raises InputError where options contradict each other."""
    from trainyard.api.run_submit import run_place

    beside = next((name for name in ("region", "profile", "bucket", "ssh") if where[name] is not None), None)
    if local and beside is not None:
        hint = f"leave out --{beside}, or --local"
        raise InputError("with --local, Slurm is on this machine", where=f"--{beside}", hint=hint)
    return run_place(run, local=local, **where)
