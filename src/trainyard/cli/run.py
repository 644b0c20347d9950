"""``trainyard run``."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = ("new", "check", "plan", "render", "submit", "watch", "report", "schema")
"""In the order of use, which is also the order of the help."""


class RunCommands(click.Group):
    """The commands, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainyard.cli.run_{cmd_name}").command
        return command


@click.group(cls=RunCommands)
def command() -> None:
    """Describe a training run in one file, check it, and start it on Slurm, AWS Batch or Amazon EKS.

    \b
    Example:
      trainyard run new --template fsdp -o run.yaml
      trainyard run check run.yaml
      trainyard run render run.yaml -o build/run
      trainyard run submit run.yaml
      trainyard run watch run.yaml
      trainyard run report run.yaml --jobs jobs.json -o report.html
    """
