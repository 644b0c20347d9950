"""``trainyard versions``."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = ("check", "suggest")
"""In the order of use, which is also the order of the help."""


class VersionsCommands(click.Group):
    """The commands, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainyard.cli.versions_{cmd_name}").command
        return command


@click.group(cls=VersionsCommands)
def command() -> None:
    """Say which versions of drivers, libraries and plugins go together.

    \b
    Example:
      trainyard versions check nccl=2.28.3 aws-ofi-nccl=1.17.2 efa-installer=1.47.0 --on p5.48xlarge
      trainyard-node versions --json | trainyard versions check -
      trainyard versions suggest nccl aws-ofi-nccl cuda=12.9.1 --on p6-b200.48xlarge
    """
