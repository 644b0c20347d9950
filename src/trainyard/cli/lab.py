"""``trainyard lab``."""

from __future__ import annotations

from importlib import import_module

import click

COMMANDS = ("up", "status", "break", "down", "storm")
"""In the order of use, which is also the order of the help."""


class LabCommands(click.Group):
    """The commands, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names in the order of use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Return a command by its name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"trainyard.cli.lab_{cmd_name}").command
        return command


@click.group(cls=LabCommands)
def command() -> None:
    """Run the Slurm of a spec on this machine, to practise on and to break.

    A lab has the real programs of Slurm, and the nodes, queues and GPUs of the
    spec by the names that ParallelCluster gives them; each node is a slurmd on
    this machine, and its GPUs are counted and are none.

    \b
    Example:
      trainyard lab up cluster.yaml
      trainyard lab break compute-gpu-st-p5-48xlarge-1 --how kill
      trainyard lab status
      trainyard lab down
    """
