"""Finds list prices. What is not in the catalog is unknown, never that of a neighbouring region."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.source import Source, merge_facts, sources_by_fact

_PATH = catalog_file.FOLDER / "prices.yaml"
_WHERE = "catalog/prices.yaml"

# So count the sources, and the AWS Pricing Calculator: https://docs.aws.amazon.com/pricing-calculator/latest/userguide/
HOURS_A_MONTH = 730


class Price(NamedTuple):
    """A price in USD for the unit that was asked for, and where it was published."""

    usd: float
    source: Source


def instance_hour(instance_type: str, region: str) -> Price | None:
    """Return the price of an hour on demand with Linux, or None where the catalog has none."""
    return _prices("instances", region).get(instance_type)


def service(what: str, region: str) -> Price | None:
    """Return the price of a unit of a service, such as nat_gateway_hour, or None where the catalog has none."""
    return _prices("services", region).get(what) or _prices("services", "everywhere").get(what)


def regions() -> tuple[str, ...]:
    """Return the regions of which instance prices are known."""
    return tuple(catalog_file.content(_PATH)["instances"])


@cache
def _prices(section: str, region: str) -> Mapping[str, Price]:
    data = catalog_file.content(_PATH)
    facts = data[section].get(region, {})
    where = f"{_WHERE} ({section}, {region})"
    file = deployment_file.validated({"sources": data["sources"], "prices": merge_facts(facts, where)})
    sources = sources_by_fact(facts, file.sources, where)
    return {what: Price(usd, sources[what]) for what, usd in (file.prices or {}).items()}
