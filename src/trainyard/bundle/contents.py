"""The beginning of a bundle's README: what it describes, what each file is, and what is not in it yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from trainyard.bundle.asset_lock import AssetLock, compare_lock
from trainyard.bundle.markdown import Pieces
from trainyard.bundle.monitoring_files import file_descriptions
from trainyard.platform_table import platform_of
from trainyard.render.bench.gpu_nodes import gpu_nodes
from trainyard.render.needed_assets import needed_assets
from trainyard.render.overlay import overlay_paths
from trainyard.render.rendering import EXAMPLES, Rendering
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup

_PAGE = Pieces(Path(__file__).with_suffix(".md"))


def files(spec: Spec, rendering: Rendering, monitoring: Iterable[str]) -> Iterator[str]:
    """Yield what the bundle is of, and its files. ``monitoring`` are the names of those below monitoring/."""
    made_for = platform_of(spec).readme().version_note(spec)
    return _PAGE.lines(
        "bundle",
        name=spec.name,
        what="What several clusters share" if spec.is_environment else "A training cluster",
        region=spec.region,
        made_for="" if made_for is None else f", {made_for}",
        queues=[_queue(group) for group in spec.node_groups()],
        files=list(_rows(spec, rendering, monitoring)),
    )


def _queue(group: NodeGroup) -> str:
    nodes = str(group.max_nodes) if group.min_nodes == group.max_nodes else f"{group.min_nodes} to {group.max_nodes}"
    types = " or ".join(group.instance_types)
    return f"- queue `{group.queue.name}`: {nodes} × {types}, {group.capacity_kind.replace('_', ' ')}"


def _rows(spec: Spec, rendering: Rendering, monitoring: Iterable[str]) -> Iterator[str]:
    platform = platform_of(spec)
    if "cluster.yaml" in rendering.documents:
        yield from _PAGE.rows("cluster", command=str(platform.readme().CREATE_COMMAND))
    for stack in rendering.stacks:
        template, parameters = stack.template_file, stack.parameters_file
        yield from _PAGE.rows("stack", template=template, parameters=parameters, what=stack.texts.file, name=stack.name)
    if any(name.startswith("manifests/") for name in rendering.documents):
        yield from _PAGE.rows("manifests")
    if any(name.startswith(EXAMPLES) for name in rendering.documents):
        yield from _PAGE.rows("examples", folder=EXAMPLES)
    yield from (f"| `{name}` | {what} |" for name, what in file_descriptions(monitoring))
    yield from platform.readme().BENCH_FILES if gpu_nodes(spec) else ()
    if platform.rendering().container_images(spec):
        yield from _PAGE.rows("container-images")
    yield from _PAGE.rows("always")
    if spec.installs_anything:
        yield from _PAGE.rows("release")
    yield from _PAGE.rows("own")


def from_overlay(spec: Spec) -> Iterator[str]:
    """Yield which keys come from the overlay of the spec; nothing where it has none."""
    if paths := overlay_paths(spec):
        yield from _PAGE.lines("overlay", keys=[f"- `{path}`" for path in paths])


def missing_from_lock(spec: Spec, lock: AssetLock) -> tuple[str, ...]:
    """Return what nodes install that is not locked, only in part, or in another version."""
    comparison = compare_lock(needed_assets(spec), lock)
    parts = {incomplete.asset: str(incomplete) for incomplete in comparison.incomplete}
    return tuple(
        parts.get(needed_asset, str(needed_asset)) for needed_asset in (*comparison.missing, *comparison.stale)
    )


def not_locked(spec: Spec, lock: AssetLock) -> Iterator[str]:
    """Yield what nodes install and the lock does not name: without it they fail."""
    if missing := missing_from_lock(spec, lock):
        yield from _PAGE.lines("not-locked", assets=[f"- {asset}" for asset in missing])
