"""What the page chooses of, and how the choice gets into a query."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from trainyard.operate.monitoring.viewer.source import MetricsSource
from trainyard.operate.monitoring.viewer.window import Window

# What has a meaning of its own in RE2: https://github.com/google/re2/wiki/Syntax
_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$]")
_VARIABLE = re.compile(r"\$(cluster|queue|node|__rate_interval)\b")
_LABELS = {"cluster": "cluster", "queue": "queue", "node": "node_name"}
_ALL = ".*"


@dataclass(frozen=True, slots=True)
class Selection:
    """What is looked at. Empty: all."""

    cluster: tuple[str, ...] = ()
    queue: tuple[str, ...] = ()
    node: tuple[str, ...] = ()


def fill_variables(expr: str, selection: Selection, window: Window) -> str:
    """Return a query of a dashboard as Prometheus takes it."""
    values = {
        "cluster": _pattern(selection.cluster),
        "queue": _pattern(selection.queue),
        "node": _pattern(selection.node),
        "__rate_interval": f"{window.rate_interval_s}s",
    }
    return _VARIABLE.sub(lambda match: values[match[1]], expr)


def variable_choices(api: MetricsSource, selection: Selection, window: Window) -> dict[str, list[str]]:
    """Return what can be chosen of: queues of the chosen cluster, nodes of the chosen queue.

    `up` is there for everything that is scraped, and one series of each is quickly looked through.
    """
    wider = {
        "cluster": Selection(),
        "queue": Selection(cluster=selection.cluster),
        "node": replace(selection, node=()),
    }
    return {name: _values(api, _LABELS[name], chosen, window) for name, chosen in wider.items()}


def _values(api: MetricsSource, label: str, chosen: Selection, window: Window) -> list[str]:
    matcher = fill_variables('up{cluster=~"$cluster", queue=~"$queue"}', chosen, window)
    label_values = api.label_values(label, [matcher], window.start_s, window.end_s)
    return sorted((value for value in label_values if value), key=natural)


def natural(text: str) -> list[tuple[int, int, str]]:
    """Return what sorts node-2 before node-10."""
    parts = re.split(r"([0-9]{1,18})", text)
    return [(0, int(part), "") if part.isdigit() and part.isascii() else (1, 0, part) for part in parts]


def _pattern(values: tuple[str, ...]) -> str:
    """Return a regular expression, inside of a string of PromQL in double quotes, that matches these values alone."""
    if not values:
        return _ALL
    pattern = "|".join(_SPECIAL.sub(lambda match: f"\\{match[0]}", value) for value in values)
    return pattern.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
