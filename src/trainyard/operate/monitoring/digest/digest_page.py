"""The digest as one HTML page that loads nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.operate.monitoring.digest.digest_text import headline, main_figures, written
from trainyard.render import plot
from trainyard.render.html_page import add_row, add_table, new_page, prose
from trainyard.render.markup import add, page

_HOURS = ("Instance type", "Node-hours", "of which idle", "USD an hour", "USD", "USD idle")
# What is idle costs money: from a tenth on the head of the page warns. A tenth is ours.
_MUCH_IDLE = 0.1


def digest_page(values: Mapping[str, Any]) -> str:
    """Return the page of a digest's values."""
    style = plot.STYLE.read_text(encoding="utf-8")
    frame = ".frame svg.narrow { display: none; } @media screen and (max-width: 560px) { "
    frame += ".frame svg.plot:not(.narrow) { display: none; } .frame svg.narrow { display: block; } }"
    root, body = new_page(f"Digest: {headline(values)}", (style, frame))
    header = add(body, "header", class_=_look(values))
    add(header, "p", "trainyard monitor digest", class_="brand")
    add(header, "h1", headline(values))
    add(header, "p", f"From {_minute(values['from'])} to {_minute(values['to'])} UTC.", class_="quiet")
    facts = add(header, "dl")
    for title, text in main_figures(values).items():
        fact = add(facts, "div")
        add(fact, "dt", title)
        add(fact, "dd", text)
    main = add(body, "main")
    _add_lines(main, values)
    _add_hours(main, values)
    for table in values["tables"]:
        _add_table(main, table)
    footer = add(body, "footer")
    for note in values["notes"]:
        prose(add(footer, "p"), note)
    prose(add(footer, "p"), f"Made by trainyard {values['trainyard_version']} with `trainyard monitor digest`.")
    return page(root)


def _look(values: Mapping[str, Any]) -> str:
    if not values["usd"]:
        return "unknown"
    return "warning" if values["idle_usd"] / values["usd"] > _MUCH_IDLE else "good"


def _minute(time: str) -> str:
    return time[:16].replace("T", " ")


def _add_lines(main: ET.Element, values: Mapping[str, Any]) -> None:
    lines = [line for line in values["lines"] if line["points"]]
    if not lines:
        return
    add(main, "h2", "How busy the cluster was")
    frame = add(main, "div", class_="frame")
    for shape in (plot.WIDE, plot.NARROW):
        frame.append(_picture(lines, values, shape))


def _picture(lines: list[Mapping[str, Any]], values: Mapping[str, Any], shape: plot.Shape) -> ET.Element:
    days = values["days"]
    x = plot.Axis(f"days since {values['from'][:10]}", 0.0, float(days), lambda value: f"{value:g}")
    y = plot.Axis("percent of all", 0.0, 100.0, lambda value: f"{value:.0f}")
    means = [sum(value for _, value in line["points"]) / len(line["points"]) for line in lines]
    about = "; ".join(f"{line['title']}: {mean:.0f}% on average" for line, mean in zip(lines, means, strict=True))
    drawn = plot.Plot("GPUs over the time", about, x, y, shape)
    for at, line in enumerate(lines):
        drawn.line([(day, value) for day, value in line["points"]], f"run s{at}", line["title"])
    return drawn.done()


def _add_hours(main: ET.Element, values: Mapping[str, Any]) -> None:
    if not values["hours"]:
        return
    add(main, "h2", "Nodes that were paid for")
    text = "Idle are hours in which no GPU of a node did anything, whether a job had it or not."
    add(main, "p", text, class_="quiet")
    body = add_table(main, _HOURS)
    for each in values["hours"]:
        price = "" if each["usd_per_hour"] is None else f"{each['usd_per_hour']:,.2f}"
        money = ["" if each[key] is None else f"{each[key]:,.0f}" for key in ("usd", "idle_usd")]
        name = each["instance_type"] or "unknown"
        add_row(body, _HOURS, (name, f"{each['hours']:,.0f}", f"{each['idle_hours']:,.0f}", price, *money))


def _add_table(main: ET.Element, table: Mapping[str, Any]) -> None:
    if not table["rows"]:
        return
    add(main, "h2", table["title"])
    prose(add(main, "p", class_="quiet"), table["about"])
    columns = (*table["columns"], table["value"])
    body = add_table(main, columns)
    for row in table["rows"]:
        add_row(body, columns, (*(label or "unknown" for label in row["labels"]), written(row["value"], table["unit"])))
