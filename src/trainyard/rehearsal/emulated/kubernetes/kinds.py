"""Which kinds of objects a cluster knows: those of every API server, and those that definitions were applied of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml


class Kind(NamedTuple):
    """A kind."""

    version: str
    """Group and version: apps/v1."""
    name: str
    plural: str
    namespaced: bool

    @property
    def group(self) -> str:
        """Return the group, empty for the core."""
        return self.version.rpartition("/")[0]

    @property
    def resource(self) -> str:
        """Return what kubectl calls the objects in full: daemonsets.apps."""
        return f"{self.plural}.{self.group}" if self.group else self.plural


@cache
def built_in() -> tuple[Kind, ...]:
    """Return the kinds of every API server."""
    file = Path(__file__).with_name("kinds.yaml")
    kinds_by_version: Mapping[str, Mapping[str, Any]] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return tuple(
        Kind(version, name, **facts) for version, kinds in kinds_by_version.items() for name, facts in kinds.items()
    )


def custom_kinds(definitions: Iterable[Mapping[str, Any]]) -> tuple[Kind, ...]:
    """Return the kinds of custom resource definitions, one for each version that is served."""
    return tuple(
        Kind(
            f"{spec['group']}/{version['name']}",
            spec["names"]["kind"],
            spec["names"]["plural"],
            spec["scope"] != "Cluster",
        )
        for spec in (definition["spec"] for definition in definitions)
        for version in spec["versions"]
        if version.get("served")
    )
