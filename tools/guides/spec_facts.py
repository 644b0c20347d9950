"""What the spec says where nobody says anything, and what no update can change."""

from __future__ import annotations

from functools import cache
from typing import Any

from trainyard.catalog.update_policies import policies, update_need
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

_SMALLEST = """\
name: llm
region: us-east-2
platform: parallelcluster
queues: [{name: q, instance_type: p5.48xlarge, nodes: 2}]
"""


def default_of(path: str) -> str:
    """Return the default of a key. Raises AttributeError where the spec has no such key."""
    value = _value(path)
    return str(value).lower() if isinstance(value, bool) else str(value)


def default_minutes(path: str) -> str:
    """Return the default of a number of seconds, in minutes."""
    return f"{_value(path) // 60} minutes"


def final_keys() -> str:
    """Return the keys of a ParallelCluster config that only a new cluster can change, as a list.

    A section stands for its keys where that holds for all of them.
    """
    version = _spec().parallelcluster.version
    known = policies(version) or {}
    final = {path for path in known if update_need(version, path) == "unsupported"}
    whole = {path for path in final if all(key in final for key in known if _is_below(key, path))}
    tops = sorted(path for path in whole if not any(_is_below(path, other) for other in whole))
    return "\n".join(f"- `{path}`" for path in tops)


def _is_below(key: str, section: str) -> bool:
    return key.startswith((f"{section}.", f"{section}[]"))


def _value(path: str) -> Any:
    value: Any = _spec()
    for key in path.split("."):
        value = getattr(value, key)
    return value


@cache
def _spec() -> Spec:
    return parse(_SMALLEST, "the smallest spec").spec
