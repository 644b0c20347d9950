"""Fills a native template whose sections hold a marked part for one queue, which every further queue gets again."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from typing import Any

import yaml

from trainyard.document.write import compact_yaml
from trainyard.render.slots import fill_slots

_EACH, _ALL = "  #: of each queue", "  #: of all queues"
_REFERRED = re.compile(r"\$\{(\w+)")


def for_each_queue(native: str, slots: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a native file filled for its first queue, with the marked part again for each further one.

    ``slots`` are the values of each queue by its name.
    """
    (_, values), *others = slots.items()
    text = fill_slots(native, values)
    for number, (queue, own) in enumerate(others, 2):
        text = _with_queue(text, _parts(fill_slots(native, own)), queue, number)
    return "".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("#:"))


def _parts(text: str) -> list[dict[str, Any]]:
    """Return what each section has for one queue, in the order of the sections."""
    regions = [part.partition(_ALL)[0] for part in text.split(_EACH)[1:]]
    return [yaml.load(textwrap.dedent(region), Loader=yaml.CSafeLoader) for region in regions]


def _with_queue(text: str, parts: list[dict[str, Any]], queue: str, number: int) -> str:
    names = {name for part in parts for name in part}
    for part in parts:
        renamed = {f"{name}{number}": with_number(value, names, number) for name, value in part.items()}
        own = textwrap.indent(f"# Queue {queue}\n{compact_yaml(renamed)}", "  ")
        # Each section has its mark once, and the one that was filled last is marked anew below.
        text = text.replace(f"{_ALL}\n", f"{own}  #: filled\n", 1)
    return text.replace("  #: filled\n", f"{_ALL}\n")


def with_number(value: Any, names: set[str], number: int) -> Any:
    """Return part of a template with a number behind every reference to one of the names."""
    if isinstance(value, list):
        return [with_number(item, names, number) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _numbered_member(key, member, names, number) for key, member in value.items()}


def _numbered_member(key: str, value: Any, names: set[str], number: int) -> Any:
    if key in ("Ref", "Condition") and isinstance(value, str):
        return _named(value, names, number)
    if key in ("Fn::GetAtt", "Fn::If"):
        return [_named(value[0], names, number), *(with_number(item, names, number) for item in value[1:])]
    if key == "Fn::Sub":
        text, *more = [value] if isinstance(value, str) else value
        first_text = _REFERRED.sub(lambda match: f"${{{_named(match[1], names, number)}", text)
        return [first_text, *(with_number(item, names, number) for item in more)] if more else first_text
    return with_number(value, names, number)


def _named(name: str, names: set[str], number: int) -> str:
    return f"{name}{number}" if name in names else name
