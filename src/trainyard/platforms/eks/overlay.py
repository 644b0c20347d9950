"""What is wrong with the overlay of eksctl's file before eksctl sees it: keys that the spec has, or eksctl has not."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.eksctl_keys import TOP, eksctl_kinds
from trainyard.errors import TrainyardError
from trainyard.finding import Path
from trainyard.finding_kinds import Problem
from trainyard.platforms.eks.rendering.adopted_cluster import without_nulls, written_cluster
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.render.overlay import overlay_problems, unknown_keys
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

_ABOVE = ("eks", "overlay")


def problems(spec: Spec) -> Iterator[Problem]:
    """Yield keys that eksctl does not know, keys that are rendered already, and items that have no counterpart."""
    if spec.eks.adopted:
        yield from _adopted_problems(spec)
        return
    plain = spec.replaced(eks=spec.eks.replaced(overlay={}))
    yield from unknown_keys(spec.eks.overlay, TOP, _ABOVE, eksctl_kinds(), "eksctl")
    try:
        document = cluster(plain, Ids({}))
    except TrainyardError:  # the rules say why there is none
        return
    yield from overlay_problems(document, spec.eks.overlay, _ABOVE, _origin)


def _adopted_problems(spec: Spec) -> Iterator[Problem]:
    """Yield keys that eksctl does not know, and those that the spec writes besides."""
    overlay = spec.eks.overlay
    yield from unknown_keys(overlay, TOP, _ABOVE, eksctl_kinds(), "eksctl")
    yield from overlay_problems(without_nulls(written_cluster(spec), overlay), overlay, _ABOVE, lambda _place: None)


def _origin(place: Path) -> str | None:
    """Return the key of the spec for another node group, which none but a queue makes."""
    return "queues" if len(place) == 2 and place[0] in ("managedNodeGroups", "nodeGroups") else None
