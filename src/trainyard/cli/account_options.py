"""The options that say in which account and region a cluster is."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")

_HELP = "AWS region of the cluster."

profile_option = click.option("--profile", metavar="NAME", help="Profile of the AWS configuration.")
"""Adds ``--profile`` to a command."""


def account_options(command: Command) -> Command:
    """Add ``--region``, which has to be given, and ``--profile``."""
    return click.option("--region", required=True, metavar="REGION", help=_HELP)(profile_option(command))


def optional_account_options(command: Command) -> Command:
    """Add ``--region`` and ``--profile``, for a command that needs no account at times."""
    return click.option("--region", metavar="REGION", help=_HELP)(profile_option(command))
