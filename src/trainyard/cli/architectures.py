"""``trainyard architectures``."""

from __future__ import annotations

import click

from trainyard.cli.output import json_option, print_json, print_text


@click.command()
@json_option
def command(*, as_json: bool) -> None:
    """List the reference architectures that a spec can start from.

    \b
    Example:
      trainyard architectures
      trainyard new p5-observability -o cluster.yaml
    """
    from trainyard.api.architectures import reference_architectures

    found = reference_architectures()
    if as_json:
        print_json({"architectures": [{"name": one.name, "summary": one.summary} for one in found]})
        return
    width = max(len(one.name) for one in found)
    for one in found:
        print_text(f"{click.style(one.name.ljust(width), bold=True)}  {one.summary}")
