"""What the rules and the questions to the account found, each with its remedy and its source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.render.markup import add, after, link

_LOOK = {"error": "bad", "warning": "kept", "info": "other"}


def add_findings(parent: ET.Element, result: Mapping[str, Any]) -> None:
    """Add the findings of a result."""
    findings = result.get("findings") or ()
    if not findings:
        add(parent, "p", "Nothing was found.", class_="quiet")
        return
    listed = add(parent, "ul", class_="findings")
    for finding in findings:
        _add_finding(listed, finding)


def _add_finding(listed: ET.Element, finding: Mapping[str, Any]) -> None:
    entry = add(listed, "li")
    heading = add(entry, "p")
    add(heading, "span", finding["severity"], class_=f"pill {_LOOK.get(finding['severity'], 'other')}")
    add(heading, "code", finding["id"])
    if where := _where(finding):
        add(heading, "span", where, class_="quiet")
    add(entry, "p", finding["message"])
    if finding.get("remedy"):
        remedy = add(entry, "p")
        add(remedy, "strong", "Remedy: ")
        after(remedy[-1], finding["remedy"])
    if finding.get("source"):
        source = add(entry, "p", class_="quiet")
        add(source, "span", "Source: ")
        link(source, str(finding["source"]))


def _where(finding: Mapping[str, Any]) -> str:
    place = ":".join(str(finding[key]) for key in ("file", "line") if finding.get(key))
    return " ".join(part for part in (place, finding.get("path")) if part)
