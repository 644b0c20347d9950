"""The configuration of a cluster that is older than its spec: what the spec writes, and nothing besides.

A cluster that somebody else made has none of trainyard's tags, policies or defaults. To write them would change it.
ParallelCluster compares configurations as they are written: also a default that is spelled out is a change.
pcluster/config/config_patch.py of aws-parallelcluster 3.16.1, https://pypi.org/project/aws-parallelcluster/3.16.1/
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath
from typing import Any

import yaml

from trainyard.finding import Path, path_text
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.record import Record
from trainyard.render.policies import partition
from trainyard.render.tags import own_tags
from trainyard.spec.cluster import Spec

_FACTS = FilePath(__file__).with_name("adopted_cluster.yaml")


def without_defaults(spec: Spec, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rendered configuration without what trainyard would add, and without defaults of the spec.

    A section that the overlay says is null is left out: every spec has a region, and not every configuration.
    """
    overlay = spec.parallelcluster.overlay
    rendered = {key: value for key, value in config.items() if key not in overlay or overlay[key] is not None}
    kept = _mapping(spec, rendered, ())
    for queue in kept.get("Scheduling", {}).get("SlurmQueues", ()):
        _leave_to_queue(queue, _overlay_of_queue(spec, queue["Name"]))
    return kept


@cache
def parallelcluster_defaults() -> Mapping[str, Any]:
    """Return ParallelCluster's own defaults where a spec has others, by path with [] for every position."""
    defaults: Mapping[str, Any] = _facts()["defaults"]
    return defaults


def pattern(path: Path) -> str:
    """Return a path as the tables have it: with [] for every position."""
    return re.sub(r"\[\d+\]", "[]", path_text(path))


def _mapping(spec: Spec, mapping: Mapping[str, Any], path: Path) -> dict[str, Any]:
    members = ((key, _member(spec, value, (*path, key))) for key, value in mapping.items())
    return {key: value for key, value in members if value is not None and value not in ({}, [])}


def _member(spec: Spec, value: Any, path: Path) -> Any:
    if path[-1] in _facts()["always"]:
        return _own_entries(spec, value, path)
    if isinstance(value, Mapping):
        return _mapping(spec, value, path)
    if isinstance(value, list) and value and isinstance(value[0], Mapping):
        items = (_member(spec, item, (*path, index)) for index, item in enumerate(value))
        return [item for item in items if item]
    return value if _is_said(spec, value, path) else None


def _is_said(spec: Spec, value: Any, path: Path) -> bool:
    if parallelcluster_defaults().get(pattern(path)) == value:
        return False
    if path[-1] == "CapacityType":
        queue = spec.queues[int(path[2])]
        nodes = (queue, *(queue.compute_resources or ()))
        written = [one.capacity for one in nodes if "capacity" in one.written]
        return "on-demand" in written if value == "ONDEMAND" else bool(written)
    if path[:3] == ("Scheduling", "SlurmSettings", "CustomSlurmSettings"):
        return path[-1] in spec.parallelcluster.slurm.settings or _is_asked_line(spec, path)
    origin = spec_path(spec, path)
    return bool(origin) and _is_written(spec, origin)


def _is_asked_line(spec: Spec, path: Path) -> bool:
    """Return whether a line of slurm.conf has a key of its own that is written, or serves software that is."""
    origin = spec_path(spec, path)
    return origin[:1] == ("software",) or (origin[-1:] != ("settings",) and _is_written(spec, origin))


def _is_written(value: Any, path: Path) -> bool:
    """Return whether a spec writes a value itself."""
    for step in path:
        if isinstance(value, Record):
            if step not in value.written:
                return False
            value = getattr(value, str(step))
        elif isinstance(value, tuple) and isinstance(step, int):
            if step >= len(value):
                return True
            value = value[step]
        else:
            return not isinstance(value, Mapping) or step in value
    return True


def _own_entries(spec: Spec, value: Any, path: Path) -> Any:
    """Return a section that is rendered only where the spec asks for it, without what every spec gets."""
    if path[-1] == "Tags":
        return [tag for tag in value if tag["Key"] not in own_tags(spec)]
    if path[-1] == "AdditionalIamPolicies":
        session_manager = f"arn:{partition(spec.region)}:iam::aws:policy/AmazonSSMManagedInstanceCore"
        others = (entry["Policy"] for entry in value if entry["Policy"] != session_manager)
        return [{"Policy": policy} for policy in dict.fromkeys((*spec.iam.policies, *others))]
    if path[-1] == "CustomActions":
        return {moment: _single(action["Sequence"]) for moment, action in value.items()}
    if path[-1] == "S3Access":
        return value if spec.iam.read_buckets else None
    return value


def _single(scripts: list[dict[str, Any]]) -> dict[str, Any]:
    return scripts[0] if len(scripts) == 1 else {"Sequence": scripts}


def _overlay_of_queue(spec: Spec, name: str) -> Mapping[str, Any]:
    queues = spec.parallelcluster.overlay.get("Scheduling", {})
    named = queues.get("SlurmQueues", ()) if isinstance(queues, Mapping) else ()
    return next((queue for queue in named if isinstance(queue, Mapping) and queue.get("Name") == name), {})


def _leave_to_queue(queue: dict[str, Any], overlay: Mapping[str, Any]) -> None:
    """Leave out of compute resources what the overlay says of their whole queue."""
    for resource in queue.get("ComputeResources", ()):
        for path in _shared_paths():
            value = _at(overlay, path)
            if value is not None and _at(resource, path) == value:
                _remove(resource, path)


def _shared_paths() -> Iterator[tuple[str, ...]]:
    """Yield what a queue can say for all of its compute resources."""
    yield from ((*path.split("."),) for path in _facts()["of_queue_or_resource"])


def _at(mapping: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        mapping = mapping.get(key) if isinstance(mapping, Mapping) else None
    return mapping


def _remove(mapping: dict[str, Any], path: tuple[str, ...]) -> None:
    key, *below = path
    if below:
        _remove(mapping[key], tuple(below))
    if not below or not mapping[key]:
        del mapping[key]


@cache
def _facts() -> dict[str, Any]:
    facts: dict[str, Any] = yaml.load(_FACTS.read_bytes(), Loader=yaml.CSafeLoader)
    return facts
