"""One line of an estimate: so many of something, at a list price or at an unknown one."""

from __future__ import annotations

from dataclasses import dataclass

from trainyard.catalog import prices
from trainyard.catalog.price import Price
from trainyard.catalog.source import Source


@dataclass(frozen=True, slots=True)
class Line:
    """What something costs an hour."""

    what: str
    unit: str
    """What is counted: instance, GiB, address."""
    least: float
    """How many there are at least: with every queue at its fewest nodes."""
    most: float
    """How many there are at most."""
    usd_per_hour_each: float | None
    """None: no public price is known, so no total can hold it."""
    basis: str
    """How it is charged, and what the count assumes."""
    source: Source | None

    @property
    def least_usd_per_hour(self) -> float | None:
        """What it costs with every queue at its fewest nodes."""
        return None if self.usd_per_hour_each is None else self.least * self.usd_per_hour_each

    @property
    def most_usd_per_hour(self) -> float | None:
        """What it costs with every queue at its most nodes."""
        return None if self.usd_per_hour_each is None else self.most * self.usd_per_hour_each


def by_the_hour(what: str, unit: str, count: tuple[float, float], price: Price | None, basis: str) -> Line:
    """Return a line of something whose price is for an hour. ``count`` is least and most."""
    usd, source = (None, None) if price is None else (price.usd, price.source)
    return Line(what, unit, *count, usd, basis, source)


def by_the_month(what: str, unit: str, count: tuple[float, float], price: Price | None, basis: str) -> Line:
    """Return a line of something whose price is for a month, of which an hour is the 730th part."""
    usd, source = (None, None) if price is None else (price.usd / prices.HOURS_A_MONTH, price.source)
    return Line(what, unit, *count, usd, basis, source)
