"""The keys that eksctl's ClusterConfig knows, by kind of mapping. tools/eksctl_keys.py makes the data."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from trainyard.catalog.catalog_file import FOLDER, json_content

Shape = Any
"""None for a plain value, ``[]`` for a list of them, ``{}`` for a mapping of anything, True where nothing is known;
otherwise the name of a kind, ``[kind]`` for a list of them, ``{"*": kind}`` for a mapping to them."""
TOP = "ClusterConfig"


@cache
def eksctl_kinds() -> Mapping[str, Mapping[str, Shape]]:
    """Return the keys of each kind of mapping with their shapes, as eksctl's JSON Schema has them."""
    kinds: Mapping[str, Mapping[str, Shape]] = json_content(FOLDER / "eksctl_keys.json")["kinds"]
    return kinds
