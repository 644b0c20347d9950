"""What several commands take: a cluster, its account and region, and the lock file."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from trainyard.cli import suggestions
from trainyard.cli.output import EMULATION, print_text

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")

_REGION_HELP = (
    "AWS region of the cluster. By default that of SPEC, else that of AWS_REGION, AWS_DEFAULT_REGION or the profile."
)

lock_option = click.option(
    "--lock",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The lock of the assets. Default: assets.lock.json beside SPEC.",
)
"""Adds ``--lock`` to a command. A FILE that is not there is an error."""


def account_options(command: Command) -> Command:
    """Add ``--region`` and ``--profile``. The command says at once where a kept rehearsal answers in place of AWS."""

    @wraps(command)
    def announced(*arguments: Any, **options: Any) -> object:
        if os.environ.get("AWS_ENDPOINT_URL"):
            _announce_emulation()
        return command(*arguments, **options)

    profile = click.option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
    return click.option("--region", metavar="REGION", help=_REGION_HELP)(profile(cast("Command", announced)))


def _announce_emulation() -> None:
    from trainyard.errors import TrainyardError
    from trainyard.rehearsal.kept_rehearsal import current_rehearsal

    with suppress(TrainyardError):  # whoever asks the account is told
        if (kept := current_rehearsal()) is not None:
            click.get_current_context().meta[EMULATION] = kept.name
            print_text(f"the kept rehearsal {kept.name} answers at {kept.endpoint}, not AWS", err=True)


def cluster_argument(*, required: bool = True) -> Callable[[Command], Command]:
    """Return what adds the argument ``name``: the name of a cluster, or its spec file."""
    metavar = "NAME|SPEC" if required else "[NAME|SPEC]"
    return click.argument("name", metavar=metavar, required=required, shell_complete=suggestions.files)


def hint_to_lock(spec: str, lock: Path | None) -> str:
    """Return the command that locks what is missing, in the file that was named for it."""
    from trainyard.api.lock_file import command_to_lock

    return "`trainyard assets lock` with the spec" if lock is None else f"`{command_to_lock(spec, lock)}`"
