"""What is wrong with the overlay of eksctl's file before eksctl sees it: keys that the spec has, or eksctl has not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trainyard.catalog.eksctl_keys import TOP, Shape, eksctl_kinds
from trainyard.errors import TrainyardError
from trainyard.finding import Path
from trainyard.finding_kinds import Problem
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.render.overlay import overlay_problems
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

_ABOVE = ("eks", "overlay")


def problems(spec: Spec) -> Iterator[Problem]:
    """Yield keys that eksctl does not know, keys that are rendered already, and items that have no counterpart."""
    plain = spec.replaced(eks=spec.eks.replaced(overlay={}))
    yield from _unknown(spec.eks.overlay, TOP, _ABOVE)
    try:
        document = cluster(plain, Ids({}))
    except TrainyardError:  # the rules say why there is none
        return
    yield from overlay_problems(document, spec.eks.overlay, _ABOVE, _origin)


def _origin(place: Path) -> str | None:
    """Return the key of the spec for another node group, which none but a queue makes."""
    return "queues" if len(place) == 2 and place[0] in ("managedNodeGroups", "nodeGroups") else None


def _unknown(value: Any, shape: Shape, path: Path) -> Iterator[Problem]:
    """Yield keys that eksctl's schema does not have."""
    if isinstance(shape, list) and shape and isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _unknown(item, shape[0], (*path, index))
    elif isinstance(shape, str) and isinstance(value, Mapping):
        known = eksctl_kinds()[shape]
        for key, inner in value.items():
            if key in known:
                yield from _unknown(inner, known[key], (*path, key))
            else:
                yield Problem(
                    (*path, key), f"eksctl knows no key {key} here", "see eksctl's schema for what it is called"
                )
