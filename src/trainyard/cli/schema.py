"""``trainyard schema``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from trainyard.cli.output import json_option, print_text


@click.command()
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Write it here.")
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
def command(output: Path | None, *, force: bool, as_json: bool) -> None:  # noqa: ARG001  it is JSON in any case
    r"""Print the JSON Schema of the spec, for editors.

    Editors with a YAML language server use it when the spec begins with
    `# yaml-language-server: $schema=./trainyard.schema.json`.

    \b
    Example:
      trainyard schema -o trainyard.schema.json
    """
    from trainyard.api.schema import json_schema
    from trainyard.edge.new_file import write_new_file

    text = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_new_file(output, text, force=force)
        print_text(f"{output} written")
