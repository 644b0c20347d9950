"""``trainyard explain``."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.output import json_option, print_json, print_lines, print_text, styled

if TYPE_CHECKING:
    from trainyard.checking.explanation import Explanation


@click.command()
@click.argument("id_", metavar="[ID]", required=False, shell_complete=suggestions.ids)
@click.option("--list", "list_", is_flag=True, help="Print every id and its title.")
@json_option
def command(id_: str | None, *, list_: bool, as_json: bool) -> None:
    """Say what a finding, an alert or a failure means, why it matters, what to do and who says so.

    \b
    Example:
      trainyard explain placement-group-with-reservation
      trainyard explain gpu-xid-fatal
      trainyard explain gpu-fell-off-bus
      trainyard explain --list
    """
    from trainyard.api.explain import explain_id, explanations

    if list_ or id_ is None:
        _print_list(list(explanations()), as_json=as_json)
        return
    explanation = explain_id(id_)
    if as_json:
        print_json({"explanation": asdict(explanation)})
    else:
        _print(explanation)


def _print_list(explanations: list[Explanation], *, as_json: bool) -> None:
    if as_json:
        print_json({"explanations": [asdict(explanation) for explanation in explanations]})
        return
    width = max(len(explanation.id) for explanation in explanations)
    for explanation in explanations:
        print_text(
            f"{styled(explanation.id.ljust(width), bold=True)}  {explanation.severity.ljust(8)}  {explanation.title}"
        )


def _print(explanation: Explanation) -> None:
    print_text(f"{styled(explanation.id, bold=True)} ({', '.join(explanation.qualities)})")
    print_lines(f"{explanation.title}\n")
    print_lines(textwrap.fill(explanation.rationale, 88))
    steps = "\n" if "\n" in explanation.remedy else " "
    print_lines(f"\nWhat to do:{steps}{explanation.remedy}")
    print_text(f"Source: {explanation.source}")
    if explanation.applies_to is not None:
        print_text(f"Applies to: {', '.join(explanation.applies_to)}")
    for heading, example in (("Wrong", explanation.bad), ("Right", explanation.good)):
        if example is not None:
            print_lines(f"\n{heading}:\n{textwrap.indent(example.rstrip(), '  ')}")
