"""What Amazon Managed Prometheus costs: the samples that it takes in, by the steps of their price, and keeps."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.deployment_file import validated
from trainyard.catalog.price import Price
from trainyard.catalog.source import Source
from trainyard.deploy.plan.cost_line import CostLine, by_the_month
from trainyard.monitoring.amp_price import KEPT_DAYS, SAMPLES_A_UNIT, AmpPrice, amp_price, tiers
from trainyard.monitoring.sizing import Sizing, sizings
from trainyard.monitoring.sizing_facts import price_facts, price_source
from trainyard.spec.cluster import Spec

_UNKNOWN = "by samples taken in, stored and queried, which nobody knows beforehand"
# The one whose prices can be cited.
_PUBLIC_REGION = "us-east-1"
_BILLION = 1_000_000_000


def amp_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield what comes in and what is kept, with the fewest and with the most nodes; one of unknown price elsewhere."""
    least, most = (_price(sizing, spec.region) for sizing in sizings(spec))
    if spec.is_environment or least is None or most is None:
        basis = _UNKNOWN if spec.is_environment else _elsewhere(spec)
        yield by_the_month("Amazon Managed Prometheus", "workspace", (1, 1), None, basis)
        return
    month = f"USD {least.usd_month:,.2f} to {most.usd_month:,.2f} a month in all"
    for first, up_to, usd in tiers(spec.region):
        counts = (_between(least.samples_month, first, up_to), _between(most.samples_month, first, up_to))
        if counts[1]:
            beyond = f" beyond {first / _BILLION:,g} billion" if first else ""
            price = Price(usd, _source(spec.region, "tiers"))
            what = f"samples in Amazon Managed Prometheus{beyond}"
            yield by_the_month(what, "ten million samples a month", counts, price, f"{month}; queries cost besides")
    yield _stored(spec, least, most)


def _elsewhere(spec: Spec) -> str:
    """Return what a region without public prices would cost where they are known."""
    least, most = (_price(sizing, _PUBLIC_REGION) for sizing in sizings(spec))
    if least is None or most is None:
        return _UNKNOWN
    prices = dict.fromkeys(f"{one.usd_month:,.2f}" for one in (least, most))
    would = f"in {_PUBLIC_REGION} it would be USD {' to '.join(prices)} a month, and queries besides"
    return f"no public source has the prices of {spec.region}; {would}"


def _price(sizing: Sizing, region: str) -> AmpPrice | None:
    return None if sizing.samples_per_s is None else amp_price(sizing.samples_per_s, region)


def _source(region: str, fact: str) -> Source:
    return validated({"sources": {"found": dict(price_source(region, fact))}}).sources["found"]


def _between(samples: float, first: float, up_to: float | None) -> float:
    within = max(0.0, (samples if up_to is None else min(samples, up_to)) - first)
    return round(within / SAMPLES_A_UNIT, 1)


def _stored(spec: Spec, least: AmpPrice, most: AmpPrice) -> CostLine:
    facts = price_facts(spec.region) or {}
    price = Price(facts["stored_usd_a_gib_month"], _source(spec.region, "stored_usd_a_gib_month"))
    counts = (round(least.stored_gib, 1), round(most.stored_gib, 1))
    basis = f"once the workspace is {KEPT_DAYS} days old, which is how long it keeps them"
    return by_the_month("samples kept by Amazon Managed Prometheus", "GiB", counts, price, basis)
