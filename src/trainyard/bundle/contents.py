"""The beginning of a bundle's README: what it describes, what each file is, and what is not in it yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard.bundle.asset_lock import AssetLock, compared
from trainyard.bundle.monitoring_files import described
from trainyard.platform_table import platform_of
from trainyard.render.bench.gpu_nodes import gpu_nodes
from trainyard.render.needed_assets import needed_assets
from trainyard.render.rendering import EXAMPLES, Rendering
from trainyard.spec.cluster import Spec


def files(spec: Spec, rendering: Rendering, monitoring: Iterable[str]) -> Iterator[str]:
    """Yield what the bundle is of, and its files. ``monitoring`` are the names of those below monitoring/."""
    yield f"# {spec.name}"
    yield ""
    readme = platform_of(spec).readme()
    what = "What several clusters share" if spec.is_environment else "A training cluster"
    made_for = "" if (text := readme.made_for(spec)) is None else f", {text}"
    yield f"{what} in {spec.region}{made_for}."
    yield "Made from a spec by trainyard; making it again from the same spec gives the same bytes."
    yield ""
    for group in spec.node_groups():
        nodes = (
            str(group.max_nodes) if group.min_nodes == group.max_nodes else f"{group.min_nodes} to {group.max_nodes}"
        )
        types = " or ".join(group.instance_types)
        yield f"- queue `{group.queue.name}`: {nodes} × {types}, {group.capacity_kind.replace('_', ' ')}"
    yield ""
    yield "| File | What it is |"
    yield "|---|---|"
    if "cluster.yaml" in rendering.documents:
        yield f"| `cluster.yaml` | configuration for `{readme.CREATE_COMMAND}` |"
    for stack in rendering.stacks:
        yield f"| `{stack.template_file}` | {stack.texts.file}: a template of CloudFormation, stack `{stack.name}` |"
        yield f"| `{stack.parameters_file}` | what the spec says to it |"
    if any(name.startswith("manifests/") for name in rendering.documents):
        yield "| `manifests/*.yaml` | what runs in the cluster, for `kubectl apply` |"
    if any(name.startswith(EXAMPLES) for name in rendering.documents):
        yield f"| `{EXAMPLES}*.yaml` | jobs to begin with |"
    yield from (f"| `{name}` | {what} |" for name, what in described(monitoring))
    yield from _of_jobs(spec)
    yield "| `architecture.svg` | a picture of it all, for a browser |"
    yield "| `stand-ins.json` | ids that only a deployment knows: where they stand, and which stack output fills them |"
    if spec.installs_anything:
        yield "| `assets/launch.sh` | what every node runs when it starts: it fetches and runs what is published |"
        yield "| `assets/plan.json` | the steps of each kind of nodes, as they stand in the release |"
        yield "| `assets/release.tar` | the release: everything that nodes unpack and run |"
        yield "| `assets/release` | the pointer: which release is published |"
    yield "| `.trainyard.json` | what trainyard wrote here, so that it never overwrites anything else |"
    yield ""


def _of_jobs(spec: Spec) -> Iterator[str]:
    platform = platform_of(spec)
    yield from platform.readme().BENCH_FILES if gpu_nodes(spec) else ()
    if platform.rendering().container_images(spec):
        yield "| `images/` | Dockerfiles of what jobs run, and what they copy |"


def unlocked(spec: Spec, lock: AssetLock) -> tuple[str, ...]:
    """Return what nodes install that is not locked, only in part, or in another version."""
    found = compared(needed_assets(spec), lock)
    parts = {incomplete.asset: str(incomplete) for incomplete in found.incomplete}
    return tuple(parts.get(needed_asset, str(needed_asset)) for needed_asset in (*found.missing, *found.stale))


def not_locked(spec: Spec, lock: AssetLock) -> Iterator[str]:
    """Yield what nodes install and the lock does not name: without it they fail."""
    if missing := unlocked(spec, lock):
        yield "## Not locked"
        yield ""
        yield "The nodes install what no `assets.lock.json` beside the spec names, and would fail without it:"
        yield ""
        yield from (f"- {one}" for one in missing)
        yield ""
        yield "Run `trainyard assets lock` with the spec, and render it again."
        yield ""
