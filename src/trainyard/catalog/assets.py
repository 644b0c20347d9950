"""Finds what nodes can install: which files make up an asset, where they lie, and which checksum is published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.asset import Arch, Asset, AssetFiles
from trainyard.catalog.source import Source, merged_by_name, sources_by_fact

_PATH = catalog_file.FOLDER / "assets.yaml"
_WHERE = "catalog/assets.yaml"


class FileDownload(NamedTuple):
    """A file at an address."""

    os: str | None
    arch: Arch | None
    url: str
    file: str
    digest: str | None
    """Published SHA-256 or SHA-512."""
    digest_source: str | None
    """Where it is published."""
    checksums: str | None
    """Address of a list of SHA-256 and file names, where its publisher has one."""


class PackageDownload(NamedTuple):
    """A package that the index of a repository leads to."""

    os: str | None
    arch: Arch | None
    repository: str
    index_url: str
    package: str
    version: str


Download = FileDownload | PackageDownload


def asset(name: str) -> Asset | None:
    """Return what is known about an asset, None where the catalog does not know it."""
    return _assets().get(name)


def sources_of(name: str) -> Mapping[str, Source]:
    """Return fact and source of an asset; empty where it is unknown."""
    data = catalog_file.content(_PATH)
    sources = deployment_file.validated({"sources": data["sources"]}).sources
    return sources_by_fact(data["assets"].get(name, {}), sources, f"{_WHERE} ({name})")


def place_of(name: str, os: str, arch: Arch) -> tuple[str | None, Arch | None]:
    """Return the operating system and the architecture that the files are told apart by; None where they are not."""
    asset_files = _suitable(name, os, arch)
    by_os = any(files.systems is not None for files in asset_files)
    by_arch = any(files.arches is not None for files in asset_files)
    return (os if by_os or not asset_files else None, arch if by_arch or not asset_files else None)


def downloads(name: str, version: str, os: str | None, arch: Arch | None) -> tuple[Download, ...]:
    """Return the files of an asset for an operating system and an architecture; none where it has none for them.

    The system may be None where the files are the same on all of them; so may the architecture.
    """
    return tuple(
        download for files in _suitable(name, os, arch) for download in _downloads(name, files, version, os, arch)
    )


def _suitable(name: str, os: str | None, arch: Arch | None) -> list[AssetFiles]:
    asset_entry = asset(name)
    return [
        files
        for files in (() if asset_entry is None else asset_entry.files)
        if (files.systems is None or os in files.systems) and (files.arches is None or arch in files.arches)
    ]


def _downloads(name: str, files: AssetFiles, version: str, os: str | None, arch: Arch | None) -> Iterator[Download]:
    told_os = None if files.systems is None else os
    told_arch = None if files.arches is None else arch
    words = {
        "version": version,
        "os": "" if told_os is None else (files.systems or {})[told_os],
        "arch": "" if told_arch is None else (files.arches or {})[told_arch],
    }
    if files.url is not None:
        url = files.url.format(**words)
        digest, source = _digest(name, version)
        checksums = None if files.checksums is None else files.checksums.format(**words)
        file = (files.file or url.rpartition("/")[2]).format(**words)
        yield FileDownload(told_os, told_arch, url, file, digest, source, checksums)
    repository = (files.repository or "").format(**words)
    for package, package_version in (files.packages or {}).items():
        index = f"{repository}/{(files.index or '').format(**words)}"
        yield PackageDownload(told_os, told_arch, repository, index, package, package_version.format(**words))


def _digest(name: str, version: str) -> tuple[str | None, str | None]:
    asset_entry = asset(name)
    digest = None if asset_entry is None else asset_entry.digests.get(version)
    return (None, None) if digest is None else (digest, sources_of(name)["digests"].url)


@cache
def _assets() -> Mapping[str, Asset]:
    data = catalog_file.content(_PATH)
    assets = merged_by_name(data["assets"], _WHERE)
    return deployment_file.validated({"sources": data["sources"], "assets": assets}).assets or {}
