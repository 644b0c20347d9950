"""``trainyard architectures``."""

from __future__ import annotations

import click

from trainyard.cli.output import json_option, print_json, print_text, styled


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

    all_architectures = reference_architectures()
    if as_json:
        print_json(
            {
                "architectures": [
                    {"name": architecture.name, "summary": architecture.summary} for architecture in all_architectures
                ]
            }
        )
        return
    width = max(len(architecture.name) for architecture in all_architectures)
    for architecture in all_architectures:
        print_text(f"{styled(architecture.name.ljust(width), bold=True)}  {architecture.summary}")
