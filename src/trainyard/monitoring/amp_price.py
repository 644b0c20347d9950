"""What Amazon Managed Prometheus charges a month for the samples of a cluster. What queries cost nobody can foresee."""

from __future__ import annotations

from typing import NamedTuple

from trainyard.catalog.prices import HOURS_A_MONTH, Price, service
from trainyard.monitoring.node_series import facts

# What a workspace is made with.
# https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-onboard-ingest-metrics.html
KEPT_DAYS = 150
SAMPLES_A_UNIT = 10_000_000
"""How many samples the prices of the steps are for."""
# From how many samples of a month on each step of the price holds: https://aws.amazon.com/prometheus/pricing/
_STEPS = {
    0.0: "amp_ten_million_samples",
    2e9: "amp_ten_million_samples_above_2_billion",
    252e9: "amp_ten_million_samples_above_252_billion",
}


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


class Tier(NamedTuple):
    """A step of the price."""

    first: float
    """From how many samples of a month on."""
    up_to: float | None
    price: Price
    """Of ten million samples."""


def amp_price(samples_per_s: float, region: str, kept_days: int = KEPT_DAYS) -> AmpPrice | None:
    """Return the price of so many samples a second, or None where the region's prices are not known."""
    kept, steps = stored_price(region), tiers(region)
    if kept is None or not steps:
        return None
    samples = samples_per_s * HOURS_A_MONTH * 3600
    stored = samples_per_s * kept_days * 86400 * facts("memory")["stored_bytes_a_sample"] / 2**30
    return AmpPrice(samples, _ingested(samples, steps), stored, stored * kept.usd)


def stored_price(region: str) -> Price | None:
    """Return what keeping a GiB costs a month, None where no public source says."""
    return service("amp_stored_gib_month", region)


def tiers(region: str) -> tuple[Tier, ...]:
    """Return the steps of the price, none where no public source has them."""
    priced = [(first, service(step, region)) for first, step in _STEPS.items()]
    ends = [*list(_STEPS)[1:], None]
    known = tuple(Tier(first, end, price) for (first, price), end in zip(priced, ends, strict=True) if price)
    return known if len(known) == len(_STEPS) else ()


def _ingested(samples: float, steps: tuple[Tier, ...]) -> float:
    usd = 0.0
    for first, up_to, price in steps:
        top = samples if up_to is None else min(samples, up_to)
        usd += max(0.0, top - first) / SAMPLES_A_UNIT * price.usd
    return usd
