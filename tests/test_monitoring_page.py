"""docs/monitoring.md names what status prints and what the deployment says, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from trainyard.monitoring.alertmanager_config import alertmanager_config
from trainyard.operate.monitoring.access import documented_outputs, query_of
from trainyard.spec.software import MonitoringMode

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "monitoring.md").read_text(encoding="utf-8")
LINKS = sorted(set(re.findall(r"\]\(((?!https)[^)]+)\)", PAGE)))
ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-…"


def headings(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them."""
    found = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^a-z0-9 -]", "", one.lower()).replace(" ", "-") for one in found}


@pytest.mark.parametrize("output", documented_outputs())
def test_every_output_that_status_prints_is_explained(output: str):
    assert f"`{output}`" in PAGE


@pytest.mark.parametrize("mode", get_args(MonitoringMode))
def test_every_mode_is_described(mode: str):
    assert f"| `{mode}` |" in PAGE


@pytest.mark.parametrize("link", LINKS)
def test_a_link_within_the_docs_leads_somewhere(link: str):
    file, _, anchor = link.partition("#")
    assert (DOCS / file).exists()
    assert not anchor or anchor in headings((DOCS / file).read_text(encoding="utf-8") if file else PAGE)


def test_the_commands_that_query_are_those_that_status_prints():
    query = query_of(ENDPOINT, "us-east-2")
    assert query.view.replace("'", "") in PAGE
    assert query.example in PAGE


def test_how_long_an_alert_takes_is_what_alertmanager_is_told():
    route = alertmanager_config("", "", "")["route"]
    _, critical, info = route["routes"]
    assert [(one["group_wait"], one["repeat_interval"]) for one in (critical, route, info)] == [
        ("30s", "4h"), ("1m", "12h"), ("15m", "5d"),
    ]  # fmt: skip
    assert "`critical` comes after half a minute and again every four hours" in PAGE
    assert "`warning` after a minute and every twelve hours" in PAGE
    assert "`info` after a quarter of an hour and every five days" in PAGE
