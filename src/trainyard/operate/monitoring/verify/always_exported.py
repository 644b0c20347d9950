"""Which metrics there have to be of an exporter on a kind of nodes, whatever they are doing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.catalog.efa import uses_efa
from trainyard.monitoring.registry import registry
from trainyard.spec.cluster import Spec

TRAINYARD_NODE = "trainyard-node"


def always_exported(spec: Spec, job: str, node_type: str, queue: str) -> frozenset[str]:
    """Return their names; none where nothing is known of the exporter."""
    known = _data()
    if job != TRAINYARD_NODE:
        return frozenset(known.get(job, ()))
    files = known[job].get(node_type, {}).get(spec.monitoring.slurm_names, ())
    efa = known[f"{job}-efa"] if _has_efa(spec, queue) else ()
    return frozenset(name for file in (*files, *efa) for name in registry(file) if not _sometimes().fullmatch(name))


def _has_efa(spec: Spec, queue: str) -> bool:
    groups = [group for group in spec.node_groups() if group.queue.name == queue]
    return bool(groups) and all(uses_efa(name, group.efa) for group in groups for name in group.instance_types)


@cache
def _sometimes() -> re.Pattern[str]:
    return re.compile("|".join(_data()["sometimes"]))


@cache
def _data() -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(
        Path(__file__).with_name("always_exported.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return content
