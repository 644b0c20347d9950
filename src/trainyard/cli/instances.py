"""``trainyard instances``."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from trainyard.cli import suggestions
from trainyard.cli.output import json_option, print_json, print_lines, print_text, styled
from trainyard.platform_table import PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trainyard.api.instances import InstanceFacts
    from trainyard.catalog.instance_type import InstanceType
    from trainyard.catalog.interfaces import Interface, InterfacePlan
    from trainyard.catalog.source import Source


@click.command()
@click.argument("type_", metavar="[TYPE]", required=False, shell_complete=suggestions.instance_types)
@click.option(
    "--launcher",
    type=click.Choice(tuple(PLATFORMS)),
    default=next(iter(PLATFORMS)),
    show_default=True,
    help="Whose interface layout to show.",
)
@json_option
def command(type_: str | None, launcher: str, *, as_json: bool) -> None:
    """Print what is known about instance types, with the source and date of every fact.

    With TYPE also its network interfaces as a launcher lays them out. What is not listed is unknown.

    \b
    Example:
      trainyard instances
      trainyard instances p5.48xlarge
      trainyard instances p6-b300.48xlarge --launcher batch
    """
    from trainyard.api.instances import instance_facts, instance_types

    if type_ is None:
        _print_list(instance_types(), as_json=as_json)
    else:
        instance_ = instance_facts(type_, launcher)
        _print_one(instance_, launcher, as_json=as_json)


def _print_list(types: Sequence[InstanceType], *, as_json: bool) -> None:
    if as_json:
        print_json({"instance_types": [_facts(type_) for type_ in types]})
        return
    rows = [("TYPE", "ACCELERATORS", "EFA", "EFA GBIT/S", "NETWORK CARDS", "VCPUS"), *map(_row, types)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print_text("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _row(facts: InstanceType) -> tuple[str, ...]:
    accelerators = "-" if facts.accelerators is None else f"{facts.accelerators.count} × {facts.accelerators.model}"
    numbers = (facts.efa_interfaces, facts.efa_gbit_s, facts.network_card_count, facts.vcpus)
    return (facts.name, accelerators, *("?" if number is None else str(number or "-") for number in numbers))


def _print_one(instance_: InstanceFacts, launcher: str, *, as_json: bool) -> None:
    facts, sources, plan = instance_.facts, instance_.sources, instance_.interfaces
    if as_json:
        shown = {
            fact: {"what": source.what, "url": source.url, "read": source.read} for fact, source in sources.items()
        }
        layout = None if plan is None else {"launcher": launcher, **_layout(plan)}
        print_json({"instance_type": _facts(facts), "sources": shown, "interfaces": layout})
        return
    print_text(styled(facts.name, bold=True))
    for fact, value in _facts(facts).items():
        if fact in sources:
            print_text(f"  {fact.ljust(26)}  {_shown(value)}")
    _print_sources(sources)
    if plan is not None:
        print_text("")
        print_text(f"Network interfaces with {launcher}:")
        for line in (*_interface_lines(plan), *plan.why, *(f"Source: {url}" for url in plan.sources)):
            print_lines(
                textwrap.fill(
                    line,
                    98,
                    initial_indent="  ",
                    subsequent_indent="    ",
                    break_on_hyphens=False,
                    break_long_words=False,
                )
            )


def _print_sources(sources: Mapping[str, Source]) -> None:
    print_text("")
    print_text("Sources:")
    for source in dict.fromkeys(sources.values()):
        about = ", ".join(fact for fact, its in sources.items() if its == source)
        print_text(f"  {source.what} ({source.url}, read {source.read})")
        print_lines(textwrap.fill(about, 88, initial_indent="    ", subsequent_indent="    "))


def _layout(plan: InterfacePlan) -> dict[str, Any]:
    return plan._asdict() | {"interfaces": [interface._asdict() for interface in plan.interfaces]}


def _interface_lines(plan: InterfacePlan) -> Iterator[str]:
    """Yield the interfaces, runs of cards that are alike on one line."""
    runs: list[list[Interface]] = []
    for interface in plan.interfaces:
        if runs and _continues(runs[-1][-1], interface):
            runs[-1].append(interface)
        else:
            runs.append([interface])
    for run in runs:
        first, last = run[0], run[-1]
        cards = f"card {first.card_index}" if len(run) == 1 else f"cards {first.card_index} to {last.card_index}"
        yield f"{cards}, device {first.device_index}: {first.kind}"


def _continues(last: Interface, this: Interface) -> bool:
    alike = (last.kind, last.device_index) == (this.kind, this.device_index)
    return alike and last.card_index + 1 == this.card_index


def _facts(facts: InstanceType) -> dict[str, Any]:
    return {name: _plain(value) for name, value in vars(facts).items()}


def _plain(value: Any) -> Any:
    from trainyard.record import Record

    if isinstance(value, Record):
        return {name: _plain(member) for name, member in vars(value).items()}
    return [_plain(member) for member in value] if isinstance(value, tuple) else value


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(member)}" for name, member in value.items() if member is not None)
    if isinstance(value, list):
        return "; ".join(_shown(member) for member in value) or "none"
    return "none" if value is None else str(value)
