"""What is exported, as data: a JSON file beside each collector names its metrics, and nothing else is exported.

Dashboards, alerts and the reference page are made from the same files.
"""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from typing import NamedTuple

from trainyard_node.errors import DAMAGED, NodeError


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
