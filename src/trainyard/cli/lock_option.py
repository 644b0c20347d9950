"""The option ``--lock``, which several commands take."""

from __future__ import annotations

from pathlib import Path

import click

lock_option = click.option(
    "--lock",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The lock of the assets. Default: assets.lock.json beside SPEC.",
)
"""Adds ``--lock`` to a command. A FILE that is not there is an error."""


def hint_to_lock(spec: str, lock: Path | None) -> str:
    """Return the command that locks what is missing, in the file that was named for it."""
    from trainyard.api.lock_file import command_to_lock

    return "`trainyard assets lock` with the spec" if lock is None else f"`{command_to_lock(spec, lock)}`"
