"""The README of a bundle for ParallelCluster: how to make, use and remove a cluster with pcluster."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from trainyard.bundle.by_hand.dashboards import delete_commands, put
from trainyard.bundle.markdown import Pieces
from trainyard.bundle.readme_contents import ReadmeContents, removal_commands, upload_commands
from trainyard.spec.cluster import Spec

CREATE_COMMAND = "pcluster create-cluster"
BENCH_FILES = (
    "| `bench/*.sbatch` | NCCL bandwidth tests: copy `bench/` to where all nodes see it, and submit them |",
    "| `bench/*.sh` | what they run: it says what the nodes are, and tests them |",
)
_PAGE = Pieces(Path(__file__).with_suffix(".md"))


def version_note(spec: Spec) -> str:
    """Return which version the cluster is for."""
    return f"for AWS ParallelCluster {spec.parallelcluster.version}"


def steps(spec: Spec, contents: ReadmeContents) -> Iterator[str]:
    """Yield the lines of the steps from the second on."""
    version = spec.parallelcluster.version
    place = {
        "pcluster": f"~/pcluster-{version}/bin/pcluster",
        "cluster": f"--region {spec.region} --cluster-name {spec.name}",
    }
    yield from _PAGE.lines("install", version=version)
    yield from upload_commands(spec, contents)
    yield from _PAGE.lines("create", **place)
    yield from _PAGE.lines("use", **place, region=spec.region)
    if commands := list(put(spec, contents.outputs)):
        yield from _PAGE.lines("dashboards", commands=commands)
    yield from _PAGE.lines("remove", **place)
    if dashboards := list(delete_commands(spec)):
        yield from _PAGE.lines("remove-dashboards", commands=dashboards)
    yield from removal_commands(spec, contents.rendering.stacks)
