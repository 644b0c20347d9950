"""``trainyard batch``."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = ("submit", "image")
"""In the order of use, which is also the order of the help."""


class BatchCommands(click.Group):
    """The commands, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainyard.cli.batch_{cmd_name}").command
        return command


@click.group(cls=BatchCommands)
def command() -> None:
    """Run jobs on a cluster of AWS Batch, and build the images that they run.

    \b
    Example:
      trainyard batch image llm-p4d stress-ng --region us-east-2
      trainyard batch submit llm-p4d stress-ng --region us-east-2 --nodes 4
      trainyard batch submit llm-p4d nccl --region us-east-2
    """
