"""What is wrong with the overlay of cluster.yaml before ParallelCluster sees it: keys that the spec has itself."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.finding_kinds import Problem
from trainyard.platforms.parallelcluster.rendering.cluster import plain_cluster
from trainyard.platforms.parallelcluster.rendering.origin import origin_of
from trainyard.render.overlay import overlay_keys, overlay_problems
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec

_ABOVE = ("parallelcluster", "overlay")


def overlay_path(spec: Spec, rendered: Path) -> Path | None:
    """Return where the overlay of a spec writes what stands at a path in cluster.yaml; None where it does not."""
    if not spec.parallelcluster.overlay:
        return None
    keys = overlay_keys(plain_cluster(spec, Ids({})), spec.parallelcluster.overlay)
    written = (key.written for key in keys if rendered[: len(key.place)] == key.place)
    return next(((*_ABOVE, *path) for path in written), None)


def problems(spec: Spec) -> Iterator[Problem]:
    """Yield keys that the spec models, and items that have no counterpart."""
    origin = _no_origin if spec.parallelcluster.adopted else origin_of
    yield from overlay_problems(plain_cluster(spec, Ids({})), spec.parallelcluster.overlay, _ABOVE, origin)


def _no_origin(rendered: Path) -> None:
    """Return nothing: an adopted spec says in its overlay what other specs have keys for, as far as it does not."""
    del rendered
