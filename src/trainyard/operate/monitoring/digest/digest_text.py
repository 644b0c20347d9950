"""The digest as text: what the terminal shows and what is sent by mail, with the main figures first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_MOST_ROWS = 5


def subject(values: Mapping[str, Any]) -> str:
    """Return one line: what is idle costs most, so it comes first."""
    return f"{headline(values)} ({values['to'][:10]})"


def headline(values: Mapping[str, Any]) -> str:
    """Return the most important figure of the time."""
    name = values["cluster"] or "All clusters"
    days = "1 day" if values["days"] == 1 else f"{values['days']} days"
    if values["idle_usd"] is not None and values["usd"]:
        share = values["idle_usd"] / values["usd"]
        return f"{name}: {share:.0%} of USD {values['usd']:,.0f} stood idle in {days}"
    if values["node_hours"] is not None:
        idle = sum(each["idle_hours"] for each in values["hours"])
        return f"{name}: {idle:,.0f} of {values['node_hours']:,.0f} node-hours stood idle in {days}"
    return f"{name}: nothing was measured in {days}"


def main_figures(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the figures by their titles, as they are written; what is not known is left out."""
    figures = {figure["title"]: written(figure["value"], figure["unit"]) for figure in values["figures"]}
    money = {
        "Node-hours": written(values["node_hours"], "hours"),
        "Cost at list prices": written(values["usd"], "usd"),
        "Idle, at list prices": written(values["idle_usd"], "usd"),
        "Hours of nodes between failures": written(values["node_mtbf_hours"], "hours"),
    }
    return {title: text for title, text in {**money, **figures}.items() if text}


def written(value: float | None, unit: str) -> str:
    """Return a value with its unit; nothing where there is none."""
    if value is None:
        return ""
    texts = {
        "ratio": f"{value:.1%}",
        "percent": f"{value:.0f}%",
        "usd": f"USD {value:,.0f}",
        "hours": f"{value:,.1f} h" if value < 10 else f"{value:,.0f} h",
    }
    return texts.get(unit, f"{value:,.0f}")


def digest_text(values: Mapping[str, Any]) -> str:
    """Return the digest as lines of text."""
    return "\n".join([*_lines(values), ""])


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    yield headline(values)
    yield f"from {values['from']} to {values['to']}"
    yield ""
    figures = main_figures(values)
    width = max(map(len, figures), default=0)
    yield from (f"  {title:<{width}}  {text}" for title, text in figures.items())
    for table in values["tables"]:
        if table["rows"]:
            yield ""
            yield f"{table['title']} ({table['value']})"
            for row in table["rows"][:_MOST_ROWS]:
                yield f"  {_name(table, row)}: {written(row['value'], table['unit'])}"
    yield ""
    yield from values["notes"]


def _name(table: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """Return what a row is about: the first column needs no word before it."""
    first, *others = zip(table["columns"], row["labels"], strict=True)
    return ", ".join([first[1] or "unknown", *(f"{column} {label}" for column, label in others if label)])
