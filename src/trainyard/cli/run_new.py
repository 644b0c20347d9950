"""``trainyard run new``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli.output import json_option, print_json, print_plain, print_text

_TEMPLATES = ("ddp", "fsdp", "command", "script", "container")


@click.command()
@click.option("--template", type=click.Choice(_TEMPLATES), default="fsdp", show_default=True,
              help="Our transformer by DDP or FSDP2, or a command, launch script or container of yours.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write it here.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
def command(template: str, output: Path | None, *, force: bool, as_json: bool) -> None:
    """Print the file of a run to start from, or write it.

    \b
    Example:
      trainyard run new --template fsdp -o run.yaml
      trainyard run new --template script
    """
    from trainyard.api.run import new_run
    from trainyard.edge.new_file import write_new_file

    text = new_run(template)
    if output is not None:
        write_new_file(output, text, force=force)
    if as_json:
        print_json({"template": template, "file": None if output is None else str(output), "text": text})
    elif output is None:
        print_plain(text, end="")
    else:
        print_text(f"{output} written; `trainyard run check {output}` says what to correct")
