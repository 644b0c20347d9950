"""Versions that do not work together, or not on an instance type. catalog/version_conflicts.json has the cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trainyard.catalog.instances import uses_efa
from trainyard.catalog.parallelcluster import VersionRange, version_in_images
from trainyard.catalog.version_conflict import Component, VersionConflict
from trainyard.catalog.version_conflicts import (
    Certainty,
    components,
    is_of_family,
    is_within,
    source_url,
    version_conflicts,
)
from trainyard.finding import Path
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


class ComponentVersion(NamedTuple):
    """The version of a component that a cluster will have, as far as it is known."""

    version: VersionRange
    path: Path
    """Where the spec says it, or would."""
    written: bool
    """Whether the spec says it."""


def check(spec: Spec) -> Iterator[Problem]:
    """Yield every known case that the versions of a spec have or may have."""
    for conflict in version_conflicts().values():
        groups = [group for group in spec.node_groups() if _is_concerned(group, conflict)]
        versions: dict[Component, ComponentVersion] = {}
        for component in conflict.components if groups else ():
            version = _version_of(component, spec, groups)
            if version is None:
                break  # the case cannot be judged, so nothing is read for its other components
            versions[component] = version
        if len(versions) == len(conflict.components):
            yield from _problems(spec, conflict, versions, groups)


def spec_versions(spec: Spec) -> Mapping[Component, ComponentVersion]:
    """Return the versions that a spec decides, with those of the images that it takes."""
    groups = list(spec.node_groups())
    versions = {component: _version_of(component, spec, groups) for component in components()}
    return {component: version for component, version in versions.items() if version is not None}


def _problems(
    spec: Spec, conflict: VersionConflict, versions: dict[Component, ComponentVersion], groups: list[NodeGroup]
) -> Iterator[Problem]:
    certainties: set[Certainty] = {
        is_within(versions[component].version, bounds) for component, bounds in conflict.components.items()
    }
    may = "maybe" in certainties
    if "no" in certainties or (may and conflict.severity != "error"):
        return
    parts = [_in_words(component, version, spec) for component, version in versions.items()]
    names = dict.fromkeys(name for group in groups for name in group.instance_types)
    on_types = f" on {', '.join(names)}" if conflict.families or conflict.efa_generations else ""
    written = [version.path for version in versions.values() if version.written]
    group = groups[0]
    type_key = "instance_types" if group.settings.instance_types else "instance_type"
    yield Problem(
        written[-1] if written else (*group.path, type_key),
        f"{' with '.join(parts)}{on_types}{', and with some of these' if may else ':'} {conflict.effect}",
        conflict.remedy,
        "warning" if may else conflict.severity,
        source=source_url(conflict),
    )


def _is_concerned(group: NodeGroup, conflict: VersionConflict) -> bool:
    return any(is_of_family(name, conflict) and uses_efa(name, group.efa) for name in group.instance_types) or not (
        conflict.families or conflict.efa_generations
    )


def _version_of(component: Component, spec: Spec, groups: list[NodeGroup]) -> ComponentVersion | None:
    """Return a version as far as the spec, the images of ParallelCluster or our own manifests decide it."""
    software, platform = spec.software, platform_of(spec)
    if component == "nccl":
        return None if software.nccl is None else _written(software.nccl.version, "nccl", "version")
    if component == "aws-ofi-nccl":
        ofi_version = None if software.nccl is None else software.nccl.ofi_version
        return None if ofi_version is None else _written(ofi_version, "nccl", "ofi_version")
    if component == "efa-installer" and software.efa_version is not None:
        return _written(software.efa_version, "efa_version")
    if component in ("efa-device-plugin", "nvidia-device-plugin"):
        return _of_manifest(component) if platform.has_kubernetes and groups else None
    if (
        component not in ("nvidia-driver", "efa-installer", "slurm")
        or not platform.made_by_parallelcluster
        or all(spec.image.ami or group.queue.ami for group in groups)
    ):
        return None
    version = version_in_images(component, spec.parallelcluster.version)
    is_written = "version" in spec.parallelcluster.written
    return None if version is None else ComponentVersion(version, ("parallelcluster", "version"), is_written)


def _written(version: str, *keys: str) -> ComponentVersion:
    return ComponentVersion(VersionRange(version, version), ("software", *keys), written=True)


def _of_manifest(component: Component) -> ComponentVersion:
    from trainyard.catalog.kubernetes_addons import version_of  # noqa: PLC0415  hardly a check needs it, all load this

    version = version_of(component)
    return ComponentVersion(VersionRange(version, version), (), written=False)


def _in_words(component: Component, version: ComponentVersion, spec: Spec) -> str:
    title, number = components()[component].title, version.version.in_words()
    if version.path != ("parallelcluster", "version"):
        return f"{title} {number}"
    return f"{title} {number} in the images of ParallelCluster {spec.parallelcluster.version}"


RULE = Rule(
    severity="error",
    confidence="likely",
    title="Versions that do not work together",
    rationale=(
        "Some versions of drivers, libraries and plugins fail with each other, or on certain instance types, and the "
        "error that jobs end with seldom names them. The guide about versions lists every case with who says so. A "
        "version that no source names, such as one in an AMI of your own, is not judged; where sources leave two "
        "versions of which one fails, it is a warning."
    ),
    remedy="write another version",
    source="https://github.com/NVIDIA/aicr/issues/2383",
    bad="""\
software: {setup: gpu, efa_version: 1.28.0, nccl: {version: 2.28.9-1}}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    good="""\
software: {setup: gpu, efa_version: 1.51.0, nccl: {version: 2.28.9-1}}
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
