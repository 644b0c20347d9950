"""What is wrong with the overlay of cluster.yaml before ParallelCluster sees it.

Keys that the spec has itself, keys that ParallelCluster does not have, and values that its schema refuses.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from trainyard.catalog.by_version import line_of
from trainyard.document.node import Document, Place, YamlNode
from trainyard.finding import Path
from trainyard.finding_kinds import Problem
from trainyard.platforms.parallelcluster.rendering.cluster import plain_cluster
from trainyard.platforms.parallelcluster.rendering.origin import origin_of
from trainyard.render.overlay import elsewhere, overlay_keys, overlay_problems
from trainyard.render.stand_ins import Ids
from trainyard.rules.documents import parallelcluster_wrong_value
from trainyard.rules.parallelcluster.config import compared_lines, config_keys, has_key
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
    """Yield keys that the spec models or ParallelCluster does not know, and items that have no counterpart."""
    origin = _no_origin if spec.parallelcluster.adopted else origin_of
    own = list(overlay_problems(plain_cluster(spec, Ids({})), spec.parallelcluster.overlay, _ABOVE, origin))
    yield from (*own, *elsewhere(_schema_problems(spec), own))


def _schema_problems(spec: Spec) -> Iterator[Problem]:
    """Yield what the schema of the version refuses. Of versions whose keys are not known, ParallelCluster says it."""
    line = line_of(spec.parallelcluster.version)
    if not spec.parallelcluster.overlay or line not in compared_lines():
        return
    overlay = Document("", YamlNode(spec.parallelcluster.overlay, Place(0, 0)))
    for key in config_keys(overlay):
        if not key.is_missing and not has_key(key, line):
            close = get_close_matches(key.name, key.known, n=1, cutoff=0.6)
            hint = f"it has {close[0]}" if close else "see ParallelCluster's reference for what it is called"
            yield Problem((*_ABOVE, *key.path), f"ParallelCluster {line} knows no key {key.name} here", hint)
    for problem in parallelcluster_wrong_value.check(overlay):
        yield problem._replace(path=(*_ABOVE, *problem.path))


def _no_origin(rendered: Path) -> None:
    """Return nothing: an adopted spec says in its overlay what other specs have keys for, as far as it does not."""
    del rendered
