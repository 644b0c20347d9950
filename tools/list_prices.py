"""Writes the list prices of the catalog from price lists that lie in a folder: ``list_prices.py FOLDER``.

`list_prices.yaml` says which files those are, where they are published and which of their prices are ours. What the
folder lacks keeps the prices that the catalog has from it, so that one list can be renewed alone.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import botocore
import yaml

from trainyard.catalog import instances, prices

TABLE = Path(__file__).with_name("list_prices.yaml")
PricesByRegion = dict[str, dict[str, float]]
_NO_REGIONS = ("why", "sources")
_WHY = (
    "USD by region, source and {}. Where something is missing, no public source was at hand; nothing is derived from a "
    "neighbour. `make prices FROM=folder` writes this file."
)


def instance_prices(folder: Path, before: dict[str, Any]) -> dict[str, Any]:
    """Return the content of instance_prices.json. Of two sources the one that is first in the table holds."""
    table = _table("instances")
    lists = {entry["id"]: _prices_of_instances(folder / name, entry, before) for name, entry in table.items()}
    known: PricesByRegion = {}
    by_source: dict[str, PricesByRegion] = {}
    for source, listed in lists.items():
        changed = {
            name
            for region, types in listed.items()
            for name in types.keys() & known.get(region, {}).keys()
            if types[name] != known[region][name]
        }
        by_source[source] = {
            region: {name: types[name] for name in sorted(types.keys() - known.get(region, {}).keys() - changed)}
            for region, types in listed.items()
        }
        for region, types in by_source[source].items():
            known.setdefault(region, {}).update(types)
    return _content(_WHY.format("instance type, for an hour on demand with Linux"), table, by_source)


def service_prices(folder: Path, before: dict[str, Any]) -> dict[str, Any]:
    """Return the content of service_prices.json."""
    table = _table("services")
    by_source = {
        entry["id"]: _prices_of_metrics(folder / name, entry["metrics"])
        if (folder / name).exists()
        else _kept(before, entry["id"])
        for name, entry in table.items()
    }
    return _content(_WHY.format("what is paid, by which unit; months have 730 hours"), table, by_source)


def text_of(content: dict[str, Any]) -> str:
    """Return JSON with a line for each region, so that one of them can be read alone."""
    lines = [f'"{key}": {json.dumps(value, separators=(",", ":"))}' for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def page_prices(page: dict[str, Any]) -> PricesByRegion:
    """Return region, metric and USD of what a price page loads, by location or, turned around, by metric."""
    by_region: PricesByRegion = {}
    for location, metric, price in _page_items(page):
        region = _regions().get(location)
        if region is not None and float(price) > 0:
            by_region.setdefault(region, {})[metric] = float(price)
    return by_region


def _page_items(page: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    for outer, members in page.get("regions", page).items():
        for inner, price in members.items():
            yield (outer, inner, price["price"]) if "regions" in page else (inner, outer, price)


@cache
def _regions() -> dict[str, str]:
    """Return the region of every location as price pages call it, from botocore's list of endpoints."""
    text = (Path(botocore.__file__).parent / "data/endpoints.json").read_bytes()
    partitions = json.loads(text)["partitions"]
    named = {facts["description"]: region for part in partitions for region, facts in part["regions"].items()}
    european = {name.replace("Europe (", "EU ("): region for name, region in named.items()}
    return {**named, **european, "AWS GovCloud (US)": "us-gov-west-1"}


def _prices_of_instances(path: Path, entry: dict[str, str], before: dict[str, Any]) -> PricesByRegion:
    if not path.exists():
        return _kept(before, entry["id"])
    listed = _FORMS[entry["form"]](path.read_text(encoding="utf-8"))
    known = set(instances.names())
    prefix = entry.get("prefix", "")
    return {
        region: {name.removeprefix(prefix): usd for name, usd in types.items() if name.removeprefix(prefix) in known}
        for region, types in listed.items()
    }


def _go_prices(text: str) -> PricesByRegion:
    """Return the prices in Go's map of maps."""
    regions = re.findall(r'"([a-z]+-[a-z-]+-\d)": \{(.*?)\n\t\}', text, re.DOTALL)
    return {
        region: {name: float(usd) for name, usd in re.findall(r'"(\S+)": ([\d.]+)', body)} for region, body in regions
    }


def _csv_prices(text: str) -> PricesByRegion:
    by_region: PricesByRegion = {}
    for row in csv.DictReader(StringIO(text)):
        if row["Price"]:
            by_region.setdefault(row["Region"], {})[row["InstanceType"]] = float(row["Price"])
    return by_region


def _json_prices(text: str) -> PricesByRegion:
    return page_prices(json.loads(text))


_FORMS: dict[str, Callable[[str], PricesByRegion]] = {"go": _go_prices, "csv": _csv_prices, "page": _json_prices}


def _prices_of_metrics(path: Path, metrics: dict[str, list[Any]]) -> PricesByRegion:
    page = page_prices(json.loads(path.read_text(encoding="utf-8")))
    return {
        region: {
            ours: round(listed[metric] * (factor[0] if factor else 1), 9)
            for ours, (metric, *factor) in metrics.items()
            if metric in listed
        }
        for region, listed in page.items()
    }


def _kept(before: dict[str, Any], source: str) -> PricesByRegion:
    return {region: facts[source] for region, facts in before.items() if region not in _NO_REGIONS and source in facts}


def _table(section: str) -> dict[str, Any]:
    table: dict[str, Any] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))[section]
    return table


def _content(why: str, table: dict[str, Any], by_source: dict[str, PricesByRegion]) -> dict[str, Any]:
    regions = sorted({region for listed in by_source.values() for region, facts in listed.items() if facts})
    facts = {
        region: {source: listed[region] for source, listed in by_source.items() if listed.get(region)}
        for region in regions
    }
    used = {source for of_region in facts.values() for source in of_region}
    told = ("what", "url", "published", "read")
    sources = {
        entry["id"]: {key: entry[key] for key in told if key in entry}
        for entry in table.values()
        if entry["id"] in used
    }
    return {"why": why, "sources": sources, **facts}


def main(folder: Path) -> int:
    """Write both files. What changed is a diff to review."""
    for path, content in ((prices.INSTANCES, instance_prices), (prices.SERVICES, service_prices)):
        before = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        after = content(folder, before)
        path.write_text(text_of(after), encoding="utf-8")
        count = sum(
            len(of_source) for region in after.keys() - set(_NO_REGIONS) for of_source in after[region].values()
        )
        print(f"{path.name}: {count} prices in {len(after) - len(_NO_REGIONS)} regions")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
