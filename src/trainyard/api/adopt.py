"""Specs of what people have already: of configurations that other programs read, and of clusters that run."""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from trainyard.checking.recognition import recognise
from trainyard.document.write import sectioned_yaml
from trainyard.edge.aws.region import configured_region
from trainyard.edge.text_file import read_text
from trainyard.errors import DocumentError, InputError
from trainyard.finding import path_text
from trainyard.foreign_text import one_line
from trainyard.platform_parts import AdoptableConfig
from trainyard.platform_table import all_entries
from trainyard.render.overlay import overlay_paths
from trainyard.rules.parallelcluster.placeholders import placeholders
from trainyard.spec.parsing import parse
from trainyard.version import __version__

if TYPE_CHECKING:
    from trainyard.document.node import Document
    from trainyard.edge.aws.account import Account
    from trainyard.platform_entry import Platform
    from trainyard.platform_parts import PlatformAdoption

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9-]{0,59}")
_OTHER_NAME = "adopted"


class Difference(NamedTuple):
    """Where the spec renders something else than the configuration says."""

    path: str
    """In the configuration."""
    adopted: Any
    """What it says; None for nothing."""
    rendered: Any
    """What the spec renders; None for nothing."""


class Placeholder(NamedTuple):
    """A text of the configuration that somebody has to replace before it is used."""

    name: str
    path: str
    line: int


class Adoption(NamedTuple):
    """A spec of something that was there before it."""

    source: str
    """The file, or the cluster."""
    platform: str
    name: str
    """Of the cluster."""
    spec: str
    """The text."""
    overlay: tuple[str, ...]
    """What no key of the spec says, as paths in its overlay."""
    differences: tuple[Difference, ...]
    placeholders: tuple[Placeholder, ...] = ()


def adopt_file(file: str, name: str | None = None, region: str | None = None) -> Adoption:
    """Return a spec that renders the configuration in a file, or in standard input for ``-``.

    ``name`` is that of the cluster, by default after the file; ``region`` is for a configuration that names none, by
    default that of the environment. Raises DocumentError where the file cannot be read, InputError where it is no
    configuration that can be adopted, or nothing says which region.
    """
    entry, document = _recognised(file)
    assert entry.adoption is not None  # noqa: S101  it was chosen by it
    named = entry.adoption().names_in(document.value)
    chosen = named.region or region or configured_region(None)
    if chosen is None:
        raise InputError(f"{file} names no region", where="--region", hint="give --region, or set AWS_REGION")
    if region is not None and region != chosen:
        raise InputError(f"{file} says {chosen}, and --region says {region}", where="--region", hint="leave it out")
    stem = FilePath(file).stem
    if None not in (name, named.name) and name != named.name:
        raise InputError(f"{file} says {named.name}, and --name says {name}", where="--name", hint="leave it out")
    own_name = named.name or name or (stem if _NAME.fullmatch(stem) else _OTHER_NAME)
    adoptable = AdoptableConfig(document.value, own_name, chosen)
    there = tuple(
        Placeholder(placeholder, path_text(path), document.place(path).line)
        for path, placeholder in placeholders(document)
    )
    return _adoption(entry, adoptable, file, there)


def adopt_cluster(name: str, account: Account) -> Adoption:
    """Return a spec that renders the configuration of a cluster. Only asks, and changes nothing.

    Raises InputError where there is no such cluster, TrainyardError where AWS does not answer.
    """
    for entry, part in _parts():
        if (adoptable := part.config_of_cluster(account, name)) is not None:
            return _adoption(entry, adoptable, f"cluster {name} in {account.region}", ())
    raise InputError(
        f"there is no cluster {name} of {_titles()} in {account.region}",
        where="--cluster",
        hint="`trainyard status` lists the clusters of a region",
    )


def _parts() -> list[tuple[Platform, PlatformAdoption]]:
    return [(entry, entry.adoption()) for entry in all_entries() if entry.adoption is not None]


def _titles() -> str:
    return " or ".join(entry.title for entry, _ in _parts())


def _recognised(file: str) -> tuple[Platform, Document]:
    recognition = recognise(read_text(file), file)
    if recognition.problems:
        raise DocumentError(recognition.problems)
    entry = next((entry for entry, _ in _parts() if entry.made_by == recognition.kind), None)
    if entry is None or len(recognition.documents) != 1:
        kind = f"a file of {recognition.kind}" if recognition.kind else recognition.reason or "a spec already"
        raise InputError(
            f"{file} is no configuration that can be adopted: {kind}",
            where=file,
            hint="name one configuration of ParallelCluster, or one ClusterConfig of eksctl",
        )
    return entry, recognition.documents[0][1]


def _adoption(entry: Platform, adoptable: AdoptableConfig, source: str, there: tuple[Placeholder, ...]) -> Adoption:
    assert entry.adoption is not None  # noqa: S101  it was chosen by it
    adopted = entry.adoption().adopted_config(adoptable)
    differences = tuple(Difference(path_text(path), *values) for path, *values in adopted.differences)
    heading = [
        f"Made of {one_line(source)} by trainyard adopt {__version__}.",
        *(f"{one_line(item.name)} is still to be replaced: {item.path}." for item in there),
        *(_sentence(difference) for difference in differences),
    ]
    text = sectioned_yaml(adopted.data, heading, adopted.comments)
    spec = parse(text, "the adopted spec").spec
    return Adoption(source, entry.name, spec.name, text, overlay_paths(spec), differences, there)


def _sentence(difference: Difference) -> str:
    """Return a difference in words."""
    if difference.adopted is None:
        return f"It renders {difference.path}: {_short(difference.rendered)}, which the configuration does not write."
    if difference.rendered is None:
        return f"It does not render {difference.path}: {_short(difference.adopted)}."
    return f"It renders {difference.path}: {_short(difference.rendered)} in place of {_short(difference.adopted)}."


def _short(value: Any) -> str:
    text = one_line(str(value))
    return text if len(text) <= 80 else f"{text[:79]}…"
