"""``trainyard bench``."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = ("plan", "submit", "judge", "report")
"""In the order of use, which is also the order of the help."""


class BenchCommands(click.Group):
    """The commands, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainyard.cli.bench_{cmd_name}").command
        return command


@click.group(cls=BenchCommands)
def command() -> None:
    """Plan NCCL bandwidth tests of a cluster, and say what they tell about it.

    \b
    Example:
      trainyard bench plan cluster.yaml -o bench/
      trainyard bench submit llm-p5 --region us-east-2 --phase 1
      trainyard bench judge --instance-type p5.48xlarge --nodes 2 all_reduce.out
      trainyard bench report --instance-type p5.48xlarge results/ -o report.html
    """
