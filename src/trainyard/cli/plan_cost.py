"""What a planned cluster will cost an hour, as ``trainyard plan`` shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trainyard.deploy.plan.cost import NOT_COUNTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.deploy.plan.cost import Cost

_MEASURES = ("GiB", "MB/s", "IOPS")


def cost_lines(cost: Cost) -> Iterator[str]:
    """Yield the total and its parts for people. A total that lacks anything names that in the same line."""
    yield f"Price an hour: {price_text(cost)}"
    for line in cost.lines:
        unit = line.unit if line.unit in _MEASURES else "×"
        price = "unknown" if line.usd_per_hour_each is None else _usd(line.most_usd_per_hour or 0)
        yield f"  {price:>14}   {_range(f'{line.least:,g}', f'{line.most:,g}')} {unit} {line.what} ({line.basis})"
    yield f"  Not counted: {NOT_COUNTED}."
    yield f"  {cost.caveat}"


def change_line(cost: Cost, former: Cost) -> str:
    """Return the price beside that of the spec as it was deployed last."""
    return f"Price an hour: {price_text(cost)}; as it was deployed last: {price_text(former)}"


def price_text(cost: Cost) -> str:
    """Return the total with the fewest and with the most nodes, or what keeps anybody from knowing it."""
    total = f"USD {_range(_usd(cost.least_usd_per_hour), _usd(cost.most_usd_per_hour))}"
    if not cost.unknown:
        return total
    unknown = "; ".join(line.what for line in cost.unknown)
    return f"unknown, as no source has the price of {unknown}; everything else is {total}"


def cost_values(cost: Cost) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "currency": "USD",
        "least_usd_per_hour": round(cost.least_usd_per_hour, 4),
        "most_usd_per_hour": round(cost.most_usd_per_hour, 4),
        "complete": not cost.unknown,
        "unknown": [line.what for line in cost.unknown],
        "lines": [
            {
                "what": line.what,
                "unit": line.unit,
                "least": line.least,
                "most": line.most,
                "usd_per_hour_each": line.usd_per_hour_each,
                "basis": line.basis,
                "source": line.source.url if line.source else None,
                "source_date": line.source_date,
            }
            for line in cost.lines
        ],
    }


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"


def _usd(amount: float) -> str:
    return f"{amount:,.2f}"
