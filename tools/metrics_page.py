"""What the reference page of metrics says about each collector."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml


class CollectorTold(NamedTuple):
    """A section of the page."""

    id: str
    """The name of the collector; collectors for what is exported about all of them."""
    title: str
    registries: dict[str, str]
    """The files that list its metrics, with a heading for each where there are several."""
    text: str


@cache
def collectors_told() -> tuple[CollectorTold, ...]:
    """Return the sections in their order."""
    file = Path(__file__).with_name("metrics_page.yaml")
    return tuple(CollectorTold(**one) for one in yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader))
