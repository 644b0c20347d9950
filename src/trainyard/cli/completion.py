"""``trainyard completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from trainyard.cli.output import print_plain


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete commands, options, architectures and ids.

    \b
    Example:
      trainyard completion bash > ~/.local/share/bash-completion/completions/trainyard
    """
    completion = get_completion_class(shell)
    if completion is None:
        raise click.UsageError(f"click has no completion for {shell}")
    print_plain(completion(context.find_root().command, {}, "trainyard", "_TRAINYARD_COMPLETE").source())
