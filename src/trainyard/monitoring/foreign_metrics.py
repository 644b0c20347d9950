"""The metrics of others that alerts and queries ask for, with their labels, as data: foreign_metrics.yaml."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def foreign_metrics() -> dict[str, frozenset[str]]:
    """Return the labels of each metric, without those that every series has."""
    return {name: frozenset(exporter["labels"]) for exporter in _file()["exporters"] for name in exporter["metrics"]}


def labels_on_every_series() -> frozenset[str]:
    """Return those that Prometheus and its configuration add."""
    return frozenset(_file()["on_every_series"]["labels"])


@cache
def _file() -> dict[str, Any]:
    file = Path(__file__).with_name("foreign_metrics.yaml")
    content: dict[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content
