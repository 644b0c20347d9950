"""Finds list prices. What is not in the catalog is unknown, never that of a neighbouring region."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.source import FactsBySource, Source, merge_facts, sources_by_fact

_PATH = catalog_file.FOLDER / "prices.yaml"
INSTANCES = catalog_file.FOLDER / "instance_prices.json"
SERVICES = catalog_file.FOLDER / "service_prices.json"
"""Both have a line for each region, as tools/list_prices.py writes them; prices.yaml has what was looked up alone."""

# So count the sources, and the AWS Pricing Calculator: https://docs.aws.amazon.com/pricing-calculator/latest/userguide/
HOURS_A_MONTH = 730


class Price(NamedTuple):
    """A price in USD for the unit that was asked for, and where it was published."""

    usd: float
    source: Source


class PriceRange(NamedTuple):
    """The least and the most that something has cost in USD, and where that was published, with its date."""

    least_usd: float
    most_usd: float
    source: Source


def instance_hour(instance_type: str, region: str) -> Price | None:
    """Return the price of an hour on demand with Linux, or None where the catalog has none."""
    return _listed_prices(INSTANCES, region).get(instance_type)


def service(what: str, region: str) -> Price | None:
    """Return the price of a unit of a service, such as nat_gateway_hour, or None where the catalog has none."""
    listed = _listed_prices(SERVICES, region).get(what)
    return listed or _service_prices(region).get(what) or _service_prices("everywhere").get(what)


def capacity_block_hour(instance_type: str, region: str) -> PriceRange | None:
    """Return what an hour of an instance has cost in offers of Capacity Blocks, or None where the catalog has none."""
    return _block_prices(region).get(instance_type) or _block_prices("everywhere").get(instance_type)


def regions() -> tuple[str, ...]:
    """Return the regions of which instance prices are known."""
    return tuple(name for name in catalog_file.json_content(INSTANCES) if name not in ("why", "sources"))


@cache
def _listed_prices(path: Path, region: str) -> Mapping[str, Price]:
    sources, facts = catalog_file.json_member(path, region)
    return _prices(sources, facts, f"catalog/{path.name} ({region})")


@cache
def _service_prices(region: str) -> Mapping[str, Price]:
    data = catalog_file.content(_PATH)
    return _prices(data["sources"], data["services"].get(region, {}), f"catalog/{_PATH.name} ({region})")


@cache
def _block_prices(region: str) -> Mapping[str, PriceRange]:
    data = catalog_file.content(_PATH)
    facts = data["capacity_blocks"].get(region, {})
    where = f"catalog/{_PATH.name} (capacity_blocks, {region})"
    file = deployment_file.validated({"sources": data["sources"], "price_ranges": merge_facts(facts, where)})
    sources = sources_by_fact(facts, file.sources, where)
    return {name: PriceRange(*usd, sources[name]) for name, usd in (file.price_ranges or {}).items()}


def _prices(described: dict[str, Any], facts: FactsBySource, where: str) -> Mapping[str, Price]:
    file = deployment_file.validated({"sources": described, "prices": merge_facts(facts, where)})
    sources = sources_by_fact(facts, file.sources, where)
    return {what: Price(usd, sources[what]) for what, usd in (file.prices or {}).items()}
