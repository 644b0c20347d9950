"""A set of versions that meet on a node: each with where it is from, and what is known to come with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from trainyard.catalog.component_versions import brought_versions, known_versions
from trainyard.catalog.parallelcluster import VersionRange
from trainyard.catalog.version_conflict import Component
from trainyard.catalog.version_conflicts import components, number_of
from trainyard.document.problems import short
from trainyard.errors import InputError

# 2.28.9-1, v1.17.2-aws, 2.21.5+cuda12.8, 2.1.0amzn3.0, 6.8.0-1021-aws, 12, v0.5.21-eksbuild.13, 2.26.2.post1
_VERSION = re.compile(
    r"v?([0-9]+(?:\.[0-9]+)*(?:amzn[0-9.]+)?)(?:-[0-9]+(?:\.[0-9]+)*)?(?:[-+~_][A-Za-z0-9.+~_-]+|\.(?:post|rc|dev)[0-9]+)?"
)
_LONGEST = 100
_BEYOND = "999999"
"""Part of a version that no release has: 2.28 may be any of 2.28.3 and 2.28.9."""


class SetVersion(NamedTuple):
    """The version of a component, as exactly as it is known."""

    version: VersionRange
    shown: str
    """As it was written, or in words where it is a range."""
    origin: str
    """What says so: the command line, a file, or the component that it comes with."""


BRINGERS: tuple[Component, ...] = ("parallelcluster", "efa-installer")
"""What other components come with, in the order in which they come with one another."""

VersionSet = Mapping[Component, SetVersion]


def component_named(name: str) -> Component:
    """Return the component that people mean by a name. Raises InputError for one that is not known."""
    plain = name.strip().lower().replace("_", "-")
    for component, facts in components().items():
        if plain == component or plain in facts.aliases:
            return component
    from difflib import get_close_matches  # noqa: PLC0415  only a mistake needs it

    names = [alias for component, facts in components().items() for alias in (component, *facts.aliases)]
    close = get_close_matches(plain, names, 1)
    hint = f"did you mean {close[0]}?" if close else f"it is one of {', '.join(components())}"
    raise InputError(f"there is no component {name!r}", hint=hint)


def given(component: Component, text: str, origin: str) -> SetVersion:
    """Return a version that somebody wrote. Raises InputError where it is none."""
    match = _VERSION.fullmatch(text.strip()) if len(text) <= _LONGEST else None
    if match is None:
        example = next(iter(known_versions(component)), "1.2.3")
        title = components()[component].title
        raise InputError(f"{short(text)} is no version of {title}", where=origin, hint=f"write one such as {example}")
    return SetVersion(VersionRange(match[1], f"{match[1]}.{_BEYOND}"), match[1], origin)


def with_brought(versions: VersionSet) -> VersionSet:
    """Return the set with what comes with its components, where nothing else is in their place."""
    whole = dict(versions)
    for component in BRINGERS:
        if (bringer := whole.get(component)) is not None:
            for name, brought in brought_with(component, bringer).items():
                whole.setdefault(name, brought)
    return whole


def brought_with(component: Component, version: SetVersion) -> VersionSet:
    """Return what comes with a version of a component."""
    place = "the images of ParallelCluster" if component == "parallelcluster" else components()[component].title
    return {
        name: SetVersion(brought, brought.in_words(), f"{place} {version.shown}")
        for name, brought in brought_versions(component, version.shown).items()
    }


def unknown_note(component: Component, version: SetVersion) -> str | None:
    """Return what to say of a version that no file of the catalog has, None where one has it or none has any."""
    known = known_versions(component)
    number = number_of(version.shown)
    if (
        not known
        or version.version.least != version.shown
        or any(number_of(one)[: len(number)] == number for one in known)
    ):
        return None
    title = components()[component].title
    if number > number_of(known[0]):
        return f"{title} {version.shown} is newer than {known[0]}, the newest that this trainyard knows"
    if number < number_of(known[-1]):
        return f"{title} {version.shown} is older than {known[-1]}, the oldest that this trainyard knows"
    after = next(one for one in known if number_of(one) < number)
    before = next(one for one in reversed(known) if number_of(one) > number)
    return f"{title} {version.shown} is not known to this trainyard; beside it are {after} and {before}"
