"""What others export is what they were recorded to export: names, labels, and which of them say what."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from tests.each_case import each_case
from tests.monitoring.whole_cluster.dcgm_exporter import dcgm_exporter
from tests.monitoring.whole_cluster.nodes import COMPUTE
from trainyard.monitoring.registry import foreign_metrics

NODE_EXPORTER = Path(__file__).parent / "whole_cluster" / "recorded" / "node_exporter.prom"
SERIES = re.compile(r"(?m)^([A-Za-z_:][\w:]*)(?:{(.*)})? ")
LABEL = re.compile(r'(\w+)="(?:[^"\\]|\\.)*"')
# What a Prometheus says of itself and of its alerts is asked of a real one, in test_whole_cluster.py.
OF_ALERTS = {"ALERTS", "ALERTS_FOR_STATE"}
OF_PROMETHEUS = {name for name in foreign_metrics() if name.startswith("prometheus_")} | {"up"} | OF_ALERTS


@cache
def expositions() -> tuple[str, ...]:
    """Return what was recorded of node_exporter, and of dcgm-exporter with either spelling of the host."""
    return (NODE_EXPORTER.read_text(encoding="utf-8"), *(dcgm_exporter(node, 60, None) for node in COMPUTE))


@cache
def recorded_labels() -> dict[str, set[str]]:
    """Return the labels of every metric."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, labels in (series for text in expositions() for series in SERIES.findall(text)):
        found[name] |= set(LABEL.findall(labels))
    return found


@each_case("name", sorted(set(foreign_metrics()) - OF_PROMETHEUS))
def test_a_metric_of_others_has_the_labels_that_were_recorded(name: str):
    assert recorded_labels()[name] == foreign_metrics()[name]


def test_both_spellings_of_the_host_were_recorded():
    spelt = [set(re.findall(r'\b([Hh]ostname)="', text)) for text in expositions()]
    assert {"hostname"} in spelt
    assert {"Hostname"} in spelt
