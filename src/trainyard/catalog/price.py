"""A list price, and where it was published."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from trainyard.catalog.source import Source
from trainyard.field import Above

Usd = Annotated[float, Above("a price in USD such as 0.08", 0)]


class Price(NamedTuple):
    """A price in USD for the unit that was asked for."""

    usd: float
    source: Source
