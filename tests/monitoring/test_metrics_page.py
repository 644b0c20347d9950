"""docs/metrics.md tells of every collector and of everything that is exported; test_generated.py holds it fresh."""

from __future__ import annotations

from pathlib import Path

import pytest

import trainyard_node
from metrics_page import collectors_told
from trainyard.monitoring.queries import documented_queries
from trainyard_node.collectors.of_node import COLLECTORS
from trainyard_node.samples import metrics

PAGE = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text(encoding="utf-8")
FILES = sorted(file.stem for file in (Path(trainyard_node.__file__).parent / "collectors").glob("*.json"))


def test_every_collector_has_a_section_and_no_other_has():
    assert [told.id for told in collectors_told()] == [*COLLECTORS, "timers", "collectors"]


def test_every_registry_is_in_a_section():
    assert sorted(file for told in collectors_told() for file in told.registries) == FILES


@pytest.mark.parametrize("file", FILES)
def test_everything_that_is_exported_is_on_the_page(file: str):
    missing = [metric.name for metric in metrics(file).values() if f"| `{metric.name}` | {metric.type} |" not in PAGE]
    assert missing == []


def test_every_query_is_on_the_page():
    assert [
        documented_query.id for documented_query in documented_queries() if documented_query.query not in PAGE
    ] == []


def test_the_page_has_the_intervals():
    assert "{interval_s}" not in PAGE
    assert "every  s" not in PAGE
