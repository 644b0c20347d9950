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
