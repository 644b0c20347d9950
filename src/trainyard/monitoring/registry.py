"""The metrics that trainyard-node exports, with their labels, from the files beside its collectors."""

from __future__ import annotations

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@cache
def registry(collector: str) -> dict[str, frozenset[str]]:
    """Return the labels of each metric that a collector exports, by the name of its file.

    The package is found and not imported: it is for nodes.
    """
    spec = find_spec("trainyard_node")
    assert spec is not None  # noqa: S101  both packages are in one wheel
    (folder,) = map(Path, spec.submodule_search_locations or ())
    metrics = json.loads((folder / "collectors" / f"{collector}.json").read_bytes())
    return {metric["name"]: frozenset(metric["labels"]) for metric in metrics}
