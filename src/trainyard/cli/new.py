"""``trainyard new``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli import suggestions
from trainyard.cli.output import json_option, print_json, print_plain, print_text


@click.command()
@click.argument("arch", shell_complete=suggestions.architectures)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write it here.")
@click.option(
    "--set", "settings", metavar="PATH=VALUE", multiple=True, help="Set a value of the spec; may be repeated."
)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
def command(arch: str, output: Path | None, settings: tuple[str, ...], *, force: bool, as_json: bool) -> None:
    """Start a spec from a reference architecture.

    Prints it, or writes FILE. The result is checked for form before anything is written.

    \b
    Example:
      trainyard new p5-observability -o cluster.yaml \\
        --set name=llm-p5 --set region=us-east-2 \\
        --set network.availability_zone=us-east-2a \\
        --set 'queues[0].capacity.reservation=cr-0a1b2c3d4e5f60718'
    """
    from trainyard.api.new import new_spec
    from trainyard.edge.new_file import write_new_file

    text = new_spec(arch, settings)
    if output is not None:
        write_new_file(output, text, force=force)
    if as_json:
        print_json({"architecture": arch, "file": None if output is None else str(output), "spec": text})
    elif output is None:
        print_plain(text, end="")
    else:
        print_text(f"{output} written; next: trainyard check {output}")
