"""Placeholders in configurations of ParallelCluster: what is to be replaced by a value before anybody reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trainyard.document.node import Document
from trainyard.finding import Path

# ${VAR} and $VAR of envsubst and shells, <VAR> of documentation, {{ var }} of Jinja, words that say so themselves.
_PLACEHOLDER = re.compile(
    r"\$\{[A-Za-z_][^}]{0,200}\}|\$[A-Z][A-Z0-9_]+\b|<[A-Za-z][A-Za-z0-9_. -]{0,200}>|\{\{.{0,200}?\}\}"
    r"|\bPLACEHOLDER\w*|\b(?:REPLACE|CHANGE)_?ME\b|\b(?:subnet|sg|ami|fs|fsvol|vol|cr|eni)-(?:x{4,}|X{4,}|\.\.\.|your\w*|\*+)|\bXXX+\b"
)
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html
_SUBNET = re.compile(r"subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})")


def placeholder_in(value: object) -> str | None:
    """Return the first placeholder in a text."""
    match = _PLACEHOLDER.search(value) if isinstance(value, str) else None
    return None if match is None else match[0]


def placeholders(document: Document) -> Iterator[tuple[Path, str]]:
    """Yield every placeholder with its path, in the order of the document."""
    for path, value in _texts(document.value, ()):
        if (placeholder := placeholder_in(value)) is not None:
            yield path, placeholder


def names_real_subnets(document: Document) -> bool:
    """Return whether ids of subnets are filled in, and none is left: nobody leaves these for later."""
    texts = [(path, value) for path, value in _texts(document.value, ()) if {"SubnetId", "SubnetIds"} & set(path)]
    return bool(texts) and all(_SUBNET.fullmatch(value) for _, value in texts)


def _texts(value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    match value:
        case dict():
            for key, member in value.items():
                yield from _texts(member, (*path, key))
        case tuple():
            for index, member in enumerate(value):
                yield from _texts(member, (*path, index))
        case str():
            yield path, value
