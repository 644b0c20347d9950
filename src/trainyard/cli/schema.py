"""``trainyard schema``."""

from __future__ import annotations

from pathlib import Path

import click

from trainyard.cli.output import json_option, json_text, print_plain, print_text


@click.command()
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write it here.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
def command(output: Path | None, *, force: bool, as_json: bool) -> None:  # noqa: ARG001  it is JSON in any case
    """Print the JSON Schema of the spec, for editors.

    \b
    Editors with a YAML language server use it when the spec begins with
      # yaml-language-server: $schema=./trainyard.schema.json

    \b
    Example:
      trainyard schema -o trainyard.schema.json
    """
    from trainyard.api.schema import json_schema
    from trainyard.edge.new_file import write_new_file

    text = json_text(json_schema()) + "\n"
    if output is None:
        print_plain(text, end="")
    else:
        write_new_file(output, text, force=force)
        print_text(f"{output} written")
