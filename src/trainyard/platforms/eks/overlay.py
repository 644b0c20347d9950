"""What is wrong with the overlay of eksctl's file before eksctl sees it.

Keys that the spec has itself, keys that eksctl does not have, and values of another shape than eksctl reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath

import yaml

from trainyard.catalog.eksctl_keys import TOP, eksctl_kinds
from trainyard.document.node import Document, Place, YamlNode
from trainyard.errors import TrainyardError
from trainyard.finding import Path
from trainyard.finding_kinds import Problem
from trainyard.platforms.eks.rendering.adopted_cluster import LISTS, origins, without_nulls, written_cluster
from trainyard.platforms.eks.rendering.cluster import cluster
from trainyard.render.overlay import elsewhere, origin_in, overlay_problems, unknown_keys
from trainyard.render.stand_ins import Ids
from trainyard.rules.documents import eksctl_wrong_shape
from trainyard.spec.cluster import Spec

_ABOVE = ("eks", "overlay")
_ORIGINS = FilePath(__file__).with_name("rendering") / "origin.yaml"


def problems(spec: Spec) -> Iterator[Problem]:
    """Yield keys that eksctl does not know, keys that are rendered already, and items that have no counterpart."""
    if spec.eks.adopted:
        yield from _adopted_problems(spec)
        return
    plain = spec.replaced(eks=spec.eks.replaced(overlay={}))
    try:
        own = list(overlay_problems(cluster(plain, Ids({})), spec.eks.overlay, _ABOVE, _origin))
    except TrainyardError:  # the rules say why there is no document
        own = []
    yield from (*own, *elsewhere(_schema_problems(spec), own))


def _adopted_problems(spec: Spec) -> Iterator[Problem]:
    """Yield keys that eksctl does not know, and those that the spec writes besides."""
    overlay = spec.eks.overlay
    own = list(overlay_problems(without_nulls(written_cluster(spec), overlay), overlay, _ABOVE, lambda _place: None))
    yield from (*own, *elsewhere(_schema_problems(spec), own))


def _schema_problems(spec: Spec) -> Iterator[Problem]:
    yield from unknown_keys(spec.eks.overlay, TOP, _ABOVE, eksctl_kinds(), "eksctl")
    for problem in eksctl_wrong_shape.check(Document("", YamlNode(spec.eks.overlay, Place(0, 0)))):
        yield problem._replace(path=(*_ABOVE, *problem.path))


def _origin(place: Path) -> str | None:
    """Return the key of the spec for a path in eksctl's file; another node group is one that none but a queue makes."""
    if place[0] in LISTS and len(place) == 2:
        return "queues"
    return origin_in(_origins(), place)


@cache
def _origins() -> Mapping[str, str]:
    own = {f"managedNodeGroups[].{place}": f"queues[].{key}" for place, key in origins("nodes").items()}
    return {**origins("cluster"), **own, **yaml.load(_ORIGINS.read_bytes(), Loader=yaml.CSafeLoader)}
