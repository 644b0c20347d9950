"""The keys of ParallelCluster's configuration, by kind of mapping. tools/parallelcluster_keys.py makes the data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from trainyard.catalog.catalog_file import FOLDER, json_content

Shape = Mapping[str, Any]
"""``type`` is string, integer, boolean, number, mapping (of anything), any, scripts (of a custom action), or the name
of a kind; ``list`` says that it is a list of these. ``required``, ``null``, ``values``, ``least`` and ``most`` stand
where they restrict, and ``in`` names the version lines that have the key where not all of them do."""
TOP = "Cluster"


@cache
def parallelcluster_kinds() -> Mapping[str, Mapping[str, Shape]]:
    """Return the keys of each kind of mapping with their shapes, as ParallelCluster's schemas have them."""
    kinds: Mapping[str, Mapping[str, Shape]] = json_content(FOLDER / "parallelcluster_keys.json")["kinds"]
    return kinds
