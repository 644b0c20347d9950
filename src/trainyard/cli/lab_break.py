"""``trainyard lab break``."""

from __future__ import annotations

import click

from trainyard.cli.output import json_option, print_json, print_text

_WAYS = ("kill", "freeze", "kill-ranks", "freeze-ranks", "sick", "nothing")


@click.command(name="break")
@click.argument("nodes", metavar="NODE...", nargs=-1, required=True)
@click.option("--how", type=click.Choice(_WAYS), default="kill", show_default=True, help="What goes wrong: kill, the "
              "node loses its power; freeze, it answers nobody; kill-ranks and freeze-ranks, steps of jobs crash or "
              "hang on it, not batch scripts; sick, its health check fails; nothing puts it right again.")  # fmt: skip
@click.option("--lab", "name", metavar="NAME", help="The lab. Default: the only one that runs.")
@click.option("--reason", metavar="TEXT", help="What the health check says, with --how sick.")
@json_option
def command(*, nodes: tuple[str, ...], how: str, name: str | None, reason: str | None, as_json: bool) -> None:
    """Let the nodes NODE of a lab break, to see what becomes of their jobs.

    \b
    Example:
      trainyard lab break compute-gpu-st-p5-48xlarge-1
      trainyard lab break compute-gpu-st-p5-48xlarge-2 --how sick --reason 'gpu-ecc: 3 uncorrectable errors'
      trainyard lab break compute-gpu-st-p5-48xlarge-2 --how nothing
    """
    from trainyard.api.lab import BREAKAGES, break_node, lab_of, mend_node
    from trainyard.errors import InputError

    if reason is not None and how != "sick":
        raise InputError("--reason is what a health check says", where="--reason", hint="add --how sick")
    lab = lab_of(name)
    done: dict[str, str] = {}
    for node in nodes:
        breakage = next((known for known in BREAKAGES if known == how), None)
        if breakage is None:
            done[node] = mend_node(lab, node)
        else:
            done[node] = break_node(lab, node, breakage, *([reason] if reason else []))
    if as_json:
        print_json({"lab": lab.name, "how": how, "nodes": done})
        return
    for node, what in done.items():
        print_text(f"{node}: {what}")
