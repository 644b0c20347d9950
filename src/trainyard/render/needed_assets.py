"""Which assets the nodes of a spec install, for which operating system and architecture: what its lock has to hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from trainyard.catalog.architecture import architecture_of
from trainyard.catalog.asset import Arch
from trainyard.catalog.assets import place_of
from trainyard.platform_table import platform_of
from trainyard.render.nodes import NodeKind, node_kinds, release_kinds, steps_of
from trainyard.spec.cluster import Spec

# Step to the assets that it fetches, where the spec asks for no more than the step.
_OF_STEP: Mapping[str, tuple[str, ...]] = {
    "neuron": ("neuron",),
    "docker": ("docker",),
    "nvidia-toolkit": ("nvidia-container-toolkit",),
    "node-exporter": ("node-exporter",),
    "dcgm-exporter": ("dcgm-exporter",),
    "prometheus": ("prometheus",),
    "keeper": ("prometheus",),
    "alertmanager": ("alertmanager",),
    "grafana": ("grafana",),
}
# EC2 says arm64 of what Linux calls aarch64.
_ARCHES: Mapping[str, Arch] = {"x86_64": "x86_64", "arm64": "aarch64"}


class NeededAsset(NamedTuple):
    """An asset that some node installs."""

    name: str
    version: str | None
    """The version that the spec names; None where any will do."""
    os: str | None
    """None where its files are the same for all operating systems."""
    arch: Arch | None
    """None where its files are the same for all architectures."""

    def __str__(self) -> str:
        """Say it in a few words."""
        words = (
            self.name,
            self.version,
            f"for {self.os}" if self.os else None,
            f"on {self.arch}" if self.arch else None,
        )
        return " ".join(word for word in words if word)


def needed_assets(spec: Spec) -> tuple[NeededAsset, ...]:
    """Return what the nodes of a spec install, sorted and each thing once."""
    if not (platform_of(spec).nodes_run_release or spec.is_environment):
        return ()
    needed = {
        NeededAsset(name, version, *place_of(name, _os(spec, kind), arch))
        for kind in release_kinds(spec).values()
        for name, version in _of_kind(spec, kind)
        for arch in _arches(spec, kind)
    }
    return tuple(
        sorted(needed, key=lambda needed_asset: (needed_asset.name, needed_asset.os or "", needed_asset.arch or ""))
    )


def _os(spec: Spec, kind: NodeKind) -> str:
    """Return the operating system. That of the monitoring instance stands in monitoring.yaml, as does its processor."""
    return "alinux2023" if kind.role == "monitoring" else spec.image.os


def _of_kind(spec: Spec, kind: NodeKind) -> Iterator[tuple[str, str | None]]:
    """Yield the assets of a kind of nodes, with the version that the spec names."""
    software = spec.software
    for step in steps_of(spec, kind):
        yield from ((name, None) for name in _OF_STEP.get(step.name, ()))
        if step.name == "efa" and software.efa_version is not None:
            yield "efa-installer", software.efa_version
        if step.name == "nccl" and software.nccl is not None:
            yield "nccl", software.nccl.version
            yield "nccl-tests", software.nccl.tests_version
            if software.nccl.ofi_version is not None:
                yield "aws-ofi-nccl", software.nccl.ofi_version


def _arches(spec: Spec, kind: NodeKind) -> set[Arch]:
    """Return the architectures of a kind of nodes; that of the whole cluster where they are of unknown types."""
    if kind.role == "monitoring":
        return {"x86_64"}
    return _architectures(_types_of(spec, kind)) or _architectures(_types(spec)) or {"x86_64"}


def _architectures(types: Iterator[str]) -> set[Arch]:
    return {_ARCHES[arch] for name in types if (arch := architecture_of(name)) is not None}


def _types_of(spec: Spec, kind: NodeKind) -> Iterator[str]:
    if kind.queue is not None:
        yield from (name for group in spec.groups_in(kind.queue) for name in group.instance_types)
    elif kind.role == "login":
        yield from (pool.instance_type for _, pool in spec.login_pools())
    else:
        yield spec.head_node.instance_type


def _types(spec: Spec) -> Iterator[str]:
    for kind in node_kinds(spec).values():
        yield from _types_of(spec, kind)
