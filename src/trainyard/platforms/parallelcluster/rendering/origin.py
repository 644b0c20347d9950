"""From a place in cluster.yaml back to the place in the spec that it was rendered from."""

from __future__ import annotations

from functools import cache
from pathlib import Path as FilePath

import yaml

from trainyard.finding import Path
from trainyard.render.overlay import origin_in, pattern_of
from trainyard.spec.cluster import Spec


def spec_path(spec: Spec, rendered: Path) -> Path:
    """Return the path in the spec that a path in cluster.yaml comes from; the nearest one that is known."""
    origins = _origins()
    for length in range(len(rendered), 0, -1):
        pattern = pattern_of(rendered[:length])
        if pattern in origins:
            positions = iter(step for step in rendered[:length] if isinstance(step, int))
            path = tuple(next(positions) if step == "[]" else step for step in _steps(origins[pattern]))
            return _flattened(spec, path)
    return ()


def origin_of(rendered: Path) -> str | None:
    """Return the key of the spec that a path in cluster.yaml is rendered from; None where no key is for it alone."""
    return origin_in(_origins(), rendered)


def _steps(path: str) -> list[str]:
    return path.replace("[]", ".[]").split(".")


def _flattened(spec: Spec, path: Path) -> Path:
    """Drop the position where a queue's one kind of nodes, or the one pool of login nodes, was written flat."""
    match path:
        case ("queues", int(index), "compute_resources", *rest) if spec.queues[index].compute_resources is None:
            return ("queues", index, *rest[1:])
        case ("login_nodes", int(), *rest) if not isinstance(spec.login_nodes, tuple):
            return ("login_nodes", *rest)
        case _:
            return path


@cache
def _origins() -> dict[str, str]:
    with FilePath(__file__).with_name("origin.yaml").open("rb") as file:
        origins: dict[str, str] = yaml.load(file, Loader=yaml.CSafeLoader)
    return origins
