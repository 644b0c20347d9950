"""Ids that only a deployment knows, and what is written in their place until it does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from trainyard.errors import InputError
from trainyard.render.data_files import data


class StandIn(NamedTuple):
    """A value that a stack output will replace."""

    value: str
    output: str
    """Name of the stack output."""
    stack: str
    """network, storage, monitoring or assets."""
    what: str
    zone: str | None = None
    """The zone that it has to lie in, where that is known."""


class Ids:
    """Gives ids by the names of stack outputs, and remembers for which of them it could only give a stand-in."""

    def __init__(self, outputs: Mapping[str, str]) -> None:
        """Take the outputs that are known."""
        self._outputs = outputs
        self.stand_ins: dict[str, StandIn] = {}
        self.used: set[str] = set()
        """Names of the outputs that were asked for, known or not."""

    def in_order(self) -> tuple[StandIn, ...]:
        """Return the stand-ins in the order in which their stacks are made."""
        stacks = [facts["stack"] for facts in _facts().values()]
        return tuple(
            sorted(self.stand_ins.values(), key=lambda stand_in: (stacks.index(stand_in.stack), stand_in.output))
        )

    def of(self, kind: str, *, label: str = "", number: int = 1, zone: str | None = None) -> str:
        """Return the id of a kind of thing; label or number tell several of a kind apart.

        Raises InputError where the output that is known for it is no such id.
        """
        output = f"{kind}{label or (number if number > 1 else '')}"
        facts = _facts()[kind]
        self.used.add(output)
        if output in self._outputs:
            return _checked(output, self._outputs[output], facts)
        value = _numbered(facts["stand_in"], number - 1)
        what = facts["what"] + (f" in {zone}" if zone else "")
        self.stand_ins[output] = StandIn(value, output, facts["stack"], what, zone)
        return value


def in_words(value: Any) -> Any:
    """Return what is shown to people, with words in place of stand-ins: what it is, and which stack will make it."""
    if isinstance(value, Mapping):
        return {key: in_words(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [in_words(member) for member in value]
    return _any_stand_in().sub(_words, value) if isinstance(value, str) else value


def stack_of(output: str) -> str:
    """Return the stack that gives an output."""
    kinds = _facts()
    return kinds[max((kind for kind in kinds if output.startswith(kind)), key=len)]["stack"]


def _checked(output: str, value: str, facts: dict[str, str]) -> str:
    beginning = facts.get("begins", re.split(r"(?<=[-:])", facts["stand_in"], maxsplit=1)[0])
    if not re.fullmatch(rf"{beginning}[\w:/+=,.@-]+", value):
        raise InputError(
            f"{value!r} is not the id of a {facts['what']}", where=output, hint=f"it begins with {beginning}"
        )
    return value


def _numbered(stand_in: str, offset: int) -> str:
    digits = 17  # of a long resource id
    return re.sub(rf"\d{{{digits}}}(?=/?$)", lambda match: f"{int(match[0]) + offset:0{digits}d}", stand_in)


def _words(match: re.Match[str]) -> str:
    """Say what a stand-in stands for: of kinds that look alike, the one whose numbers begin before it."""
    alike = {
        int(number): facts for shape, number, facts in _shapes() if shape == (match["before"], match["behind"] or "")
    }
    first = max(number for number in alike if number <= max(int(match["number"]), min(alike)))
    return f"({alike[first]['what']}, which stack {alike[first]['stack']} will make)"


@cache
def _any_stand_in() -> re.Pattern[str]:
    befores = sorted({shape[0] for shape, _, _ in _shapes()}, key=len, reverse=True)
    return re.compile(
        rf"(?<![\w/:-])(?P<before>{'|'.join(map(re.escape, befores))})(?P<number>0{{12}}\d{{5}})(?!\d)(?P<behind>/)?"
    )


@cache
def _shapes() -> tuple[tuple[tuple[str, str], str, dict[str, str]], ...]:
    """Return what stands before and behind the number of each kind of stand-in, and the number."""
    divided = ((re.split(r"(\d{17})(?=/?$)", facts["stand_in"]), facts) for facts in _facts().values())
    return tuple(((parts[0], parts[2]), parts[1], facts) for parts, facts in divided)


def _facts() -> dict[str, dict[str, str]]:
    facts: dict[str, dict[str, str]] = data("stand_ins.yaml")
    return facts
