"""The queries that the reference page of metrics documents."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml


class DocumentedQuery(NamedTuple):
    """A question to Prometheus."""

    id: str
    about: str
    """The collector whose metrics it asks for, or collectors for what is exported about all of them."""
    question: str
    query: str
    alarm: bool = False
    """Whether it returns something only where something is wrong."""


@cache
def documented_queries() -> tuple[DocumentedQuery, ...]:
    """Return them in the order of the file. An unknown key there is a TypeError, which a test finds."""
    file = Path(__file__).with_name("queries.yaml")
    return tuple(DocumentedQuery(**query) for query in yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader))
