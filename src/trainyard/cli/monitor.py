"""``trainyard monitor``."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = ("dashboards", "alerts", "view", "verify", "digest")
"""In the order of use, which is also the order of the help."""


class MonitorCommands(click.Group):
    """The commands, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainyard.cli.monitor_{cmd_name}").command
        return command


@click.group(cls=MonitorCommands)
def command() -> None:
    """See what a cluster measures, and whether all of it arrives.

    \b
    Example:
      trainyard monitor dashboards cluster.yaml -o dashboards/
      trainyard monitor view --prometheus http://localhost:9090
      trainyard monitor verify llm-p5 --region us-east-2
      trainyard monitor digest llm-p5 --region us-east-2 -o digest.html
    """
