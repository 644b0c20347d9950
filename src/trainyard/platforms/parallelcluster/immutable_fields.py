"""What of a spec no update of ParallelCluster changes.

Other changes may need a stopped fleet or stopped login nodes; catalog/update_policies.py knows which.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path as FilePath

import yaml

from trainyard.catalog import update_policies
from trainyard.deploy.plan.immutable_fields import ImmutableField, paths_in, positions_in
from trainyard.finding import Path, path_text
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.spec.cluster import Spec


def fields_that_pcluster_refuses(spec: Spec) -> Iterator[ImmutableField]:
    """Yield the version first, then every field that a key of cluster.yaml comes from."""
    yield _version(spec)
    yield from _of_configuration(spec)


def _version(spec: Spec) -> ImmutableField:
    version = spec.parallelcluster.version
    why = "only the version of ParallelCluster that made a cluster updates it"
    if update_policies.policies(version) is None:
        why += f"; which other fields of the cluster are fixed is not known for {version}"
    return ImmutableField("parallelcluster.version", why, update_policies.source_of_needs())


def _of_configuration(spec: Spec) -> Iterator[ImmutableField]:
    version = spec.parallelcluster.version
    sources = update_policies.sources_of(version)
    for key in _fixed_keys(version):
        for path in _cluster_paths(spec, key):
            yield ImmutableField(path_text(path), f"ParallelCluster refuses an update that changes {key}", sources[key])


def _fixed_keys(version: str) -> Iterator[str]:
    """Yield the keys that no update changes. Sections are left out: what counts is what they hold."""
    known = update_policies.policies(version) or {}
    for key in known:
        if update_policies.need(version, key) == "unsupported" and not any(one.startswith(f"{key}.") for one in known):
            yield key


def _cluster_paths(spec: Spec, key: str) -> Iterator[Path]:
    if key in _origins():
        for pattern in _origins()[key]:
            yield from paths_in(spec, pattern)
        return
    for rendered in positions_in(spec, key):
        path = spec_path(spec, rendered)
        if rendered[0] != "SharedStorage" or _of_that_kind(spec, rendered):
            yield path


def _of_that_kind(spec: Spec, rendered: Path) -> bool:
    """Say whether a key of a shared file system speaks of one that the cluster makes, of the kind that the spec has."""
    file_system = spec.file_systems[int(rendered[1])]
    section = {"ebs": "EbsSettings", "efs": "EfsSettings"}.get(file_system.kind)
    return rendered[2] == section and file_system.settings.id is None


@cache
def _origins() -> Mapping[str, list[str]]:
    with FilePath(__file__).with_name("immutable_fields.yaml").open("rb") as file:
        origins: Mapping[str, list[str]] = yaml.load(file, Loader=yaml.CSafeLoader)
    return origins
