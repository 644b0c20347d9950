"""Every stack with its resources: tables that open and close, and that a script may search and sort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.counts import count_text
from trainyard.rehearsal.report.numbers import number, seconds
from trainyard.rehearsal.report.timeline import status_look
from trainyard.render.html_page import add_table, name_cells
from trainyard.render.markup import add, after

_COLUMNS = ("Resource", "Type", "Id", "Status", "Start", "Time")


def add_stacks(parent: ET.Element, result: Mapping[str, Any]) -> None:
    """Add the stacks of a result."""
    stacks = result.get("stacks") or ()
    if not stacks:
        add(parent, "p", "No stack was made.", class_="quiet")
        return
    _add_search(parent)
    for stack in stacks:
        _add_stack(parent, stack)


def _add_search(parent: ET.Element) -> None:
    bar = add(parent, "p", class_="search", hidden="hidden")
    label = add(bar, "label", "Search ")
    add(label, "input", type="search", id="search", placeholder="name, type, id or status")
    add(bar, "output", id="found")


def _add_stack(parent: ET.Element, stack: Mapping[str, Any]) -> None:
    resources = stack.get("resources") or ()
    look = status_look(stack["status"])
    opened = {"open": "open"} if look == "bad" else {}
    details = add(parent, "details", class_="stack", **opened)
    summary = add(details, "summary")
    add(summary, "strong", stack["name"])
    add(summary, "span", stack["status"], class_=f"pill {look}")
    if stack.get("kept"):
        add(summary, "span", "kept with its data", class_="pill kept")
    add(summary, "span", count_text(len(resources), "resource"), class_="quiet")
    body = add_table(details, _COLUMNS)
    for resource in resources:
        _add_resource(body, resource)


def _add_resource(body: ET.Element, resource: Mapping[str, Any]) -> None:
    row = add(body, "tr")
    add(row, "th", resource["logical_id"], scope="row")
    add(row, "td", resource["type"])
    add(add(row, "td"), "code", resource.get("physical_id") or "")
    status = add(row, "td")
    add(status, "span", resource["status"], class_=f"pill {status_look(resource['status'])}")
    if resource.get("reason"):
        add(status, "small", resource["reason"])
    for key in ("started_s", "seconds"):
        value = resource.get(key)
        add(row, "td", seconds(value), class_="number", data_value=str(number(value)))
    name_cells(row, _COLUMNS)


def add_calls(parent: ET.Element, result: Mapping[str, Any]) -> None:
    """Add how often which call was made."""
    calls: Mapping[str, int] = result.get("calls") or {}
    details = add(parent, "details", class_="stack")
    services = len({name.partition(":")[0] for name in calls})
    summary = add(details, "summary")
    add(summary, "strong", count_text(sum(calls.values()), "call"))
    add(summary, "span", f"of {count_text(len(calls), 'kind')} to {count_text(services, 'service')}", class_="quiet")
    listed = add(details, "ul", class_="calls")
    for name, count in sorted(calls.items()):
        entry = add(listed, "li")
        add(entry, "code", name)
        after(entry[-1], f" {count:,}")
