"""What exporters of others and CloudWatch have, from the data that alerts, dashboards and nodes are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

import trainyard.monitoring

_FOLDER = Path(trainyard.monitoring.__file__).parent


def foreign_metric_rows(beginning: str) -> str:
    """Return the table of the metrics of an exporter whose names begin so. Raises KeyError where there is none."""
    rows = [
        f"| `{metric}` | {_code(exporter['labels'])} | [{exporter['id']}]({exporter['source']}) |"
        for exporter in _load("foreign_metrics.yaml")["exporters"]
        for metric in exporter["metrics"]
        if metric.startswith(beginning)
    ]
    if not rows:
        raise KeyError(beginning)
    return "\n".join(["| Metric | Labels of its own | Whose |", "|---|---|---|", *rows])


def _code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def cloudwatch_dashboard_rows(_: str) -> str:
    """Return the dashboards in CloudWatch with their widgets."""
    return "\n".join(_dashboard_lines())


def _dashboard_lines() -> Iterator[str]:
    yield "| Dashboard | Widget | What has to be asked for |"
    yield "|---|---|---|"
    for file in ("main", "advanced", "efa"):
        dashboard = _load(f"cloudwatch_dashboards/{file}.yaml")
        name = f"`ParallelCluster-NAME{dashboard.get('suffix', '')}`"
        for widget in dashboard["widgets"]:
            needs = ", ".join(f"`{need}`" for need in widget.get("needs", ())) or "nothing"
            yield f"| {name} | {widget['title']} | {needs} |"


def _load(name: str) -> Any:
    return yaml.load((_FOLDER / name).read_bytes(), Loader=yaml.CSafeLoader)
