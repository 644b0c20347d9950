"""What a collector read, as text in Prometheus' exposition format.

https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format

It is written once for each reading, not for each scrape. Why no library writes it stands in docs/decisions.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from trainyard_node.errors import DAMAGED, NodeError

# Whoever may name a job or a reason may not make a line of any length.
LONGEST_LABEL = 512
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_ESCAPES_OF_HELP = str.maketrans({"\\": r"\\", "\n": r"\n"})


class Samples:
    """The samples of one reading. A metric or a number of labels that the registry does not have is a bug."""

    def __init__(self, *files: str) -> None:
        """Begin, with the metrics of each collectors/<file>.json."""
        self._metrics = {name: metric for file in files for name, metric in metrics(file).items()}
        self._values: dict[str, dict[str, float]] = {name: {} for name in self._metrics}

    def add(self, name: str, value: float, *labels: str) -> None:
        """Add a sample. The same labels again replace it: Prometheus takes no sample twice."""
        self._values[name][_labels(self._metrics[name].labels, labels)] = value

    def add_all(self, values: Mapping[str, float], *labels: str) -> None:
        """Add samples of several metrics, whose labels are the same."""
        written = _labels(self._metrics[next(iter(values))].labels, labels)
        for name, value in values.items():
            self._values[name][written] = value

    def values(self, name: str) -> Mapping[str, float]:
        """Return the samples of a metric by their labels, as they are written."""
        return self._values[name]

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(map(len, self._values.values()))

    def text(self) -> str:
        """Return them as lines, with the words about each metric that has any."""
        return "".join(_family(self._metrics[name], values) for name, values in self._values.items() if values)


def _family(metric: Metric, values: dict[str, float]) -> str:
    name = metric.name
    head = f"# HELP {name} {metric.help.translate(_ESCAPES_OF_HELP)}\n# TYPE {name} {metric.type}\n"
    return head + "".join([f"{name}{labels} {number(value)}\n" for labels, value in values.items()])


def number(value: float) -> str:
    """Return a number as Prometheus reads it: whole ones without a point, NaN and infinities by name."""
    if isinstance(value, int):
        return str(int(value))
    if value != value:  # noqa: PLR0124 - NaN is the only number that differs from itself
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


@lru_cache(maxsize=32768)
def _labels(names: tuple[str, ...], values: tuple[str, ...]) -> str:
    if len(names) != len(values):
        raise ValueError(f"{names} have the values {values}")
    if not names:
        return ""
    return "{" + ",".join([f'{name}="{_escaped(value)}"' for name, value in zip(names, values)]) + "}"


def _escaped(value: str) -> str:
    """Return a value of a label. What is no text in UTF-8, such as half a character, is replaced."""
    short = value if len(value) <= LONGEST_LABEL else value[: LONGEST_LABEL - 1] + "…"
    return short.translate(_ESCAPES).encode("utf-8", "replace").decode()


class Metric(NamedTuple):
    """One metric."""

    name: str
    type: str
    """gauge, counter or untyped: a community name that breaks the rules of names is untyped, as promtool wants it."""
    unit: str | None
    """Such as bytes or seconds, None where it counts things."""
    help: str
    labels: tuple[str, ...]
    """The names of its labels, in the order in which their values are given."""
    stability: str
    """community: named as others named it, kept. stable: our name, kept. experimental: it may still change."""


@cache
def metrics(file: str) -> dict[str, Metric]:
    """Return the metrics of collectors/<file>.json by their names, in the order of the file."""
    text = pkgutil.get_data("trainyard_node", f"collectors/{file}.json")
    if text is None:
        raise NodeError(f"collectors/{file}.json is missing: publish the release again", DAMAGED)
    listed = [Metric(**{**load, "labels": tuple(load["labels"])}) for load in json.loads(text)]
    return {metric.name: metric for metric in listed}
