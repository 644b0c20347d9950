"""Reads the catalog's own data files. Nothing outside this folder reads them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import yaml
from pydantic_core import from_json

from trainyard.catalog.instance_type import Architecture, InstanceType
from trainyard.catalog.kubernetes_version import KubernetesVersion
from trainyard.catalog.parallelcluster_records import ImageVersion, Limits, ParallelClusterLists, RefusedSlurmSettings
from trainyard.catalog.source import Source
from trainyard.catalog.storage_records import DeploymentType, EbsVolumeType, LustreDeployment, OpenZfsDeployment
from trainyard.catalog.version_conflict import Component, SoftwareComponent, VersionConflict
from trainyard.field import Count
from trainyard.record import Record, validator_of

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

FOLDER = Path(__file__).parent
COMPILED = FOLDER / "compiled.json"
STORED = FOLDER / "content.json"
_NO_FACTS = ("why", "sources")
LOOKED: dict[str, str] = {}
"""The files that this process has read, below the folder, to the oldest look at one of their sources."""


class CatalogFile(Record):
    """The content of a catalog file that rules ask, with the facts already merged."""

    sources: dict[str, Source]
    """Source id to source."""
    instance_types: dict[str, InstanceType] | None = None
    """instances/<family>.yaml."""
    architectures: dict[str, Architecture | None] | None = None
    """instance_type_names.yaml, by expressions of families."""
    lustre_deployments: dict[str, LustreDeployment] | None = None
    """fsx_lustre.yaml."""
    parallelcluster: ParallelClusterLists | None = None
    """parallelcluster.yaml."""
    image_versions: dict[str, ImageVersion] | None = None
    """image_versions.yaml, one component by version of ParallelCluster."""
    limits: Limits | None = None
    """parallelcluster_limits.yaml, for one version line."""
    refused_slurm_settings: RefusedSlurmSettings | None = None
    """slurm_settings.yaml, for one version line."""
    ebs_volume_types: dict[str, EbsVolumeType] | None = None
    """ebs.yaml."""
    openzfs_deployments: dict[str, OpenZfsDeployment] | None = None
    """fsx_openzfs.yaml, by deployment type."""
    openzfs_offered: dict[str, tuple[DeploymentType, ...]] | None = None
    """fsx_openzfs.yaml, by region."""
    openzfs_refused: dict[str, tuple[DeploymentType, ...]] | None = None
    """fsx_openzfs.yaml, by region."""
    kubernetes_versions: dict[str, KubernetesVersion] | None = None
    """kubernetes_versions.yaml."""
    components: dict[Component, SoftwareComponent] | None = None
    """version_conflicts.json, the software that it speaks of."""
    version_conflicts: dict[str, VersionConflict] | None = None
    """version_conflicts.json."""
    minutes: dict[str, tuple[Count, Count]] | None = None
    """step_minutes.yaml."""
    seconds: dict[str, tuple[Count, Count]] | None = None
    """bootstrap_times.yaml."""


def content(path: Path) -> Any:
    """Return the plain content of a data file, and note that its facts are used."""
    text = path.read_bytes()
    data: dict[str, Any] = _stored(path, text) or yaml.load(text, _Loader)  # noqa: S506  derived from the safe loader
    note_look(path, (source["read"] for source in data["sources"].values()))
    return data


def stored_name(path: Path, text: bytes) -> str:
    """Return the name of a data file among the stored contents, with the sum of its text: they are of no other text."""
    return f"{path.relative_to(FOLDER).as_posix()} {crc32(text):08x}"


def _stored(path: Path, text: bytes) -> Any:
    """Return the content as `make generate` stored it in JSON, which loads far faster than YAML; None where it has not.

    A file that was changed since is read itself.
    """
    return json_line(_stored_contents(), stored_name(path, text)) if path.is_relative_to(FOLDER) else None


@cache
def _stored_contents() -> bytes:
    return STORED.read_bytes() if STORED.exists() else b""


def json_line(lines: bytes, key: str) -> Any:
    """Return a member of an object in JSON that has a line for each, None where there is none. No other one is read."""
    start = lines.find(f'\n"{key}": '.encode())
    if start < 0:
        return None
    line = lines[lines.index(b": ", start) + 2 : lines.index(b"\n", start + 1)]
    return with_tuples(from_json(line.rstrip(b",")))


def with_tuples(value: Any) -> Any:
    """Return plain content with tuples for lists, as ``content`` gives it: the fields of records are tuples."""
    if isinstance(value, dict):
        return {key: with_tuples(item) for key, item in value.items()}
    return tuple(map(with_tuples, value)) if isinstance(value, list) else value


def validated(file: dict[str, Any]) -> CatalogFile:
    """Return the records of a file. Raises pydantic-core's ValidationError: an error in our own data is a bug."""
    record: CatalogFile = _validator().validate_python(file)
    return record


def json_content(path: Path) -> Any:
    """Return the plain content of a data file in JSON, and note that its facts are used."""
    data: dict[str, Any] = from_json(path.read_bytes())
    note_look(path, (source["read"] for source in data["sources"].values()))
    return data


def json_member(path: Path, key: str) -> tuple[Any, Any]:
    """Return the sources and one member of a data file in JSON that has a line for each, {} where it has none.

    It notes that facts are used.
    """
    lines = path.read_bytes()
    sources = json_line(lines, "sources")
    note_look(path, (source["read"] for source in sources.values()))
    return sources, {} if key in _NO_FACTS else json_line(lines, key) or {}


def of_json(path: Path) -> CatalogFile:
    """Return the records of a data file in JSON, which rules of every check read: it loads far faster than YAML."""
    record: CatalogFile = _validator().validate_json(path.read_bytes())
    note_look(path, (source.read for source in record.sources.values()))
    return record


def note_look(path: Path, reads: Iterable[str]) -> None:
    """Note that facts of a file are used, and when their sources were read."""
    if path.is_relative_to(FOLDER):
        LOOKED[path.relative_to(FOLDER).as_posix()] = min(reads)


class _Loader(yaml.CSafeLoader):
    """The safe loader, with tuples for sequences: the fields of records are tuples."""


def _tuple(loader: _Loader, node: yaml.SequenceNode) -> tuple[Any, ...]:
    return tuple(loader.construct_sequence(node, deep=True))


_Loader.add_constructor("tag:yaml.org,2002:seq", _tuple)


@cache
def _validator() -> SchemaValidator:
    return validator_of(CatalogFile, COMPILED)
