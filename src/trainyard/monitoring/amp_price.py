"""What Amazon Managed Prometheus charges a month for the samples of a cluster. What queries cost nobody can foresee."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.catalog.prices import HOURS_A_MONTH
from trainyard.monitoring.node_series import facts, price_facts

# What a workspace is made with.
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-onboard-ingest-metrics.html
KEPT_DAYS = 150
SAMPLES_A_UNIT = 10_000_000
"""How many samples the prices of sizing.yaml are for."""


class AmpPrice(NamedTuple):
    """USD a month, once the workspace is as old as it keeps samples. A free tier belongs to an account: none here."""

    samples_month: float
    ingested_usd_month: float
    stored_gib: float
    stored_usd_month: float

    @property
    def usd_month(self) -> float:
        """What comes in and what is kept, together."""
        return self.ingested_usd_month + self.stored_usd_month


def amp_price(samples_per_s: float, region: str, kept_days: int = KEPT_DAYS) -> AmpPrice | None:
    """Return the price of so many samples a second, or None where the region's prices are not known."""
    price = price_facts(region)
    if price is None:
        return None
    samples = samples_per_s * HOURS_A_MONTH * 3600
    stored = samples_per_s * kept_days * 86400 * facts("memory")["stored_bytes_a_sample"] / 2**30
    return AmpPrice(samples, _ingested(samples, region), stored, stored * price["stored_usd_a_gib_month"])


def tiers(region: str) -> tuple[tuple[float, float | None, float], ...]:
    """Return the steps of the price: from and up to how many samples of a month, and what ten million of them cost."""
    upper_bounds: list[tuple[float | None, float]] = (price_facts(region) or {"tiers": []})["tiers"]
    ends = [up_to for up_to, _ in upper_bounds]
    return tuple((first or 0.0, up_to, usd) for first, (up_to, usd) in zip([0.0, *ends], upper_bounds, strict=False))


def _ingested(samples: float, region: str) -> float:
    usd = 0.0
    for first, up_to, usd_each in tiers(region):
        top = samples if up_to is None else min(samples, up_to)
        usd += max(0.0, top - first) / SAMPLES_A_UNIT * usd_each
    return usd
