"""``trainyard run schema``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli.output import json_option, json_text, print_plain, print_text


@click.command()
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write it here.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
def command(output: Path | None, *, force: bool, as_json: bool) -> None:  # noqa: ARG001  it is JSON in any case
    """Print the JSON Schema of the file of a run, for editors.

    \b
    Example:
      trainyard run schema -o run.schema.json
    """
    from trainyard.api.run import run_json_schema
    from trainyard.edge.new_file import write_new_file

    text = json_text(run_json_schema()) + "\n"
    if output is None:
        print_plain(text, end="")
    else:
        write_new_file(output, text, force=force)
        print_text(f"{output} written")
