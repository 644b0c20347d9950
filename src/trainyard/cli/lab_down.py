"""``trainyard lab down``."""

from __future__ import annotations

import click

from trainyard.cli.output import json_option, print_json, print_text, reporter
from trainyard.errors import InputError


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--all", "every", is_flag=True, help="End every lab of this user.")
@json_option
def command(*, name: str | None, every: bool, as_json: bool) -> None:
    """End the lab NAME with everything that runs in it, by default the only one, and remove its folder.

    \b
    Example:
      trainyard lab down
      trainyard lab down --all
    """
    from trainyard.api.lab import lab_of, labs, stop

    if every and name is not None:
        raise InputError("a name and --all are two things", where="--all", hint="leave one of them out")
    chosen = labs() if every else [lab_of(name)]
    for lab in chosen:
        stop(lab, reporter())
    if as_json:
        print_json({"stopped": [lab.name for lab in chosen]})
        return
    for lab in chosen:
        print_text(f"lab {lab.name} is down")
    if not chosen:
        print_text("no lab runs")
