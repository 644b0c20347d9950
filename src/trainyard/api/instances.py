"""Facts of instance types."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from trainyard.catalog.instances import find, names, sources_of
from trainyard.catalog.interfaces import InterfacePlan, interface_plan
from trainyard.errors import InputError
from trainyard.platform_table import PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainyard.catalog.instance_type import InstanceType
    from trainyard.catalog.source import Source


@dataclass(frozen=True, slots=True)
class InstanceFacts:
    """One instance type: its facts, the source of each, and its network interfaces where its cards are known."""

    facts: InstanceType
    sources: Mapping[str, Source]
    interfaces: InterfacePlan | None


def instance_types() -> tuple[InstanceType, ...]:
    """Return every instance type that anything is known about, by name."""
    return tuple(facts for name in names() if (facts := find(name)) is not None)


def instance_facts(name: str, launcher: str = "parallelcluster") -> InstanceFacts:
    """Return what is known about an instance type, with its interfaces as a platform lays them out.

    Raises InputError with the nearest name where that is nothing.
    """
    facts = find(name)
    if facts is None:
        close = get_close_matches(name, names(), n=1)
        hint = f"did you mean {close[0]}?" if close else "`trainyard instances` lists the types that are known"
        raise InputError(f"nothing is known about instance type {name!r}", where="TYPE", hint=hint)
    is_known = facts.cards is not None and facts.has_efa is not None
    layout = PLATFORMS[launcher].interface_layout
    plan = interface_plan(facts, layout, efa=bool(facts.has_efa)) if is_known and layout is not None else None
    return InstanceFacts(facts, sources_of(name), plan)
