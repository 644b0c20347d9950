"""Options that several commands take: the account and region of a cluster, and the lock file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")

_HELP = "AWS region of the cluster."

profile_option = click.option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
"""Adds ``--profile`` to a command."""
lock_option = click.option(
    "--lock",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The lock of the assets. Default: assets.lock.json beside SPEC.",
)
"""Adds ``--lock`` to a command. A FILE that is not there is an error."""


def account_options(command: Command) -> Command:
    """Add ``--region``, which has to be given, and ``--profile``."""
    return click.option("--region", required=True, metavar="REGION", help=_HELP)(profile_option(command))


def optional_account_options(command: Command) -> Command:
    """Add ``--region`` and ``--profile``, for a command that needs no account at times."""
    return click.option("--region", metavar="REGION", help=_HELP)(profile_option(command))


def hint_to_lock(spec: str, lock: Path | None) -> str:
    """Return the command that locks what is missing, in the file that was named for it."""
    from trainyard.api.lock_file import command_to_lock

    return "`trainyard assets lock` with the spec" if lock is None else f"`{command_to_lock(spec, lock)}`"
