"""A list price, and where it was published."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from trainyard.field import Above

if TYPE_CHECKING:
    from trainyard.catalog.source import Source

Usd = Annotated[float, Above("a price in USD such as 0.08", 0)]


@dataclass(frozen=True, slots=True)
class Price:
    """A price in USD for the unit that was asked for."""

    usd: float
    source: Source
