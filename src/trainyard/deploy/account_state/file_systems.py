"""The file systems and volumes that a spec names by their ids, as the account has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.deploy.preflights import PreflightContext
from trainyard.edge.aws import ec2, efs, fsx
from trainyard.finding import Path


class ExistingFileSystem(NamedTuple):
    """A file system that is to be there already."""

    path: Path
    kind: str
    """lustre, openzfs, efs or ebs."""
    id: str
    state: str | None
    """In lower case, as its service says; None where there is no such thing."""
    described: ec2.Described
    """The file system, for OpenZFS that which holds the volume; empty where there is none."""


def existing_file_systems(context: PreflightContext) -> Iterator[ExistingFileSystem]:
    """Yield each file system that the spec names by its id."""
    for index, file_system in enumerate(context.spec.file_systems):
        id_ = file_system.settings.id
        if id_ not in (None, "environment"):
            path = ("file_systems", index, file_system.kind, "id")
            state, described = _FOUND_BY[file_system.kind](context, id_)
            yield ExistingFileSystem(path, file_system.kind, id_, state, described)
    volume = context.spec.monitoring.volume_id
    if volume is not None:
        yield ExistingFileSystem(("monitoring", "volume_id"), "ebs", volume, *_ebs(context, volume))


def _lustre(context: PreflightContext, id_: str) -> tuple[str | None, ec2.Described]:
    file_system = context.ask(fsx.file_system, id_)
    return (None, {}) if file_system is None else (str(file_system.get("Lifecycle", "")).lower(), file_system)


def _openzfs(context: PreflightContext, id_: str) -> tuple[str | None, ec2.Described]:
    volume = context.ask(fsx.volume, id_)
    if volume is None:
        return None, {}
    holder = context.ask(fsx.file_system, volume["FileSystemId"]) or {}
    return str(volume.get("Lifecycle", "")).lower(), holder


def _efs(context: PreflightContext, id_: str) -> tuple[str | None, ec2.Described]:
    file_system = context.ask(efs.file_system, id_)
    return (None, {}) if file_system is None else (str(file_system.get("LifeCycleState", "")).lower(), file_system)


def _ebs(context: PreflightContext, id_: str) -> tuple[str | None, ec2.Described]:
    volume = context.ask(ec2.volumes, (id_,)).get(id_)
    return (None, {}) if volume is None else (str(volume.get("State", "")).lower(), volume)


_FOUND_BY = {"lustre": _lustre, "openzfs": _openzfs, "efs": _efs, "ebs": _ebs}
