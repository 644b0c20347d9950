"""What Amazon Managed Prometheus charges a month for the samples of a cluster. What queries cost nobody can foresee."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.catalog.prices import HOURS_A_MONTH
from trainyard.monitoring.sizing_facts import facts, price_facts

# What a workspace is made with.
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-onboard-ingest-metrics.html
KEPT_DAYS = 150
_PER_TIER = 10_000_000


class AmpPrice(NamedTuple):
    """USD a month, once the workspace is as old as it keeps samples. A free tier belongs to an account: none here."""

    samples_month: float
    ingested_usd_month: float
    stored_gib: float
    stored_usd_month: float


def amp_price(samples_per_s: float, region: str, kept_days: int = KEPT_DAYS) -> AmpPrice | None:
    """Return the price of so many samples a second, or None where the region's prices are not known."""
    found = price_facts(region)
    if found is None:
        return None
    samples = samples_per_s * HOURS_A_MONTH * 3600
    stored = samples_per_s * kept_days * 86400 * facts("memory")["stored_bytes_a_sample"] / 2**30
    return AmpPrice(samples, _ingested(samples, found["tiers"]), stored, stored * found["stored_usd_a_gib_month"])


def _ingested(samples: float, tiers: list[tuple[float | None, float]]) -> float:
    usd, below = 0.0, 0.0
    for up_to, usd_each in tiers:
        top = samples if up_to is None else min(samples, up_to)
        usd += max(0.0, top - below) / _PER_TIER * usd_each
        below = top
    return usd
