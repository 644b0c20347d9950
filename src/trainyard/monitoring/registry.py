"""The metrics that trainyard-node exports, and those of others that alerts and queries ask for, with their labels."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml


@cache
def registry(collector: str) -> dict[str, frozenset[str]]:
    """Return the labels of each metric that a collector exports, by the name of its file."""
    metrics = json.loads((_folder() / f"{collector}.json").read_bytes())
    return {metric["name"]: frozenset(metric["labels"]) for metric in metrics}


@cache
def registries() -> tuple[str, ...]:
    """Return the names of all files of metrics of our own."""
    return tuple(sorted(file.stem for file in _folder().glob("*.json")))


def _folder() -> Path:
    """Return where they lie. The package is found and not imported: it is for nodes."""
    spec = find_spec("trainyard_node")
    assert spec is not None  # noqa: S101  both packages are in one wheel
    (folder,) = map(Path, spec.submodule_search_locations or ())
    return folder / "collectors"


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
