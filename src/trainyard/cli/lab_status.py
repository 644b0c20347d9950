"""``trainyard lab status``."""

from __future__ import annotations

from collections import Counter

import click

from trainyard.cli.output import json_option, print_json, print_text
from trainyard.foreign_text import quoted


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@json_option
def command(*, name: str | None, as_json: bool) -> None:
    """Show the nodes of the lab NAME by state, or of every lab, and why some are out of work.

    Where it has metrics, it says where they are and where the page of dashboards is.

    \b
    Example:
      trainyard lab status
      trainyard lab status llm-p5 --json
    """
    from trainyard.api.lab import lab_of, labs, node_states

    chosen = labs() if name is None else [lab_of(name)]
    found = {lab.name: list(dict.fromkeys(node_states(lab))) for lab in chosen}
    if as_json:
        values = [
            {"name": lab.name, "addresses": dict(lab.addresses), "nodes": [node._asdict() for node in found[lab.name]]}
            for lab in chosen
        ]
        print_json({"labs": values})
        return
    for lab in chosen:
        counts = Counter(node.state for node in found[lab.name])
        print_text(f"{lab.name}: " + ", ".join(f"{count} {state}" for state, count in sorted(counts.items())))
        for what, url in lab.addresses.items():
            print_text(f"  {what}: {url}")
        for node in found[lab.name]:
            if node.reason:
                print_text(f"  {node.name}  {node.state}: {quoted(node.reason)}")
    if not chosen:
        print_text("no lab runs; `trainyard lab up SPEC` starts one")
