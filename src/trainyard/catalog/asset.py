"""What nodes install and somebody else publishes: where its files lie, and what is known of their content."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import NotEmpty, Text
from trainyard.record import Record

Arch = Literal["x86_64", "aarch64"]
"""Architectures as Linux names them."""

Address = Annotated[
    str, Text(r"^https://[^\s]+$", "an https address, with {version}, {os} and {arch} where it differs")
]
Part = Annotated[str, Text(r"^[^\s/][^\s]*$", "a path below an address")]
AssetVersion = Annotated[str, Text(r"^[0-9][0-9A-Za-z.+-]*$", "a version, in quotes")]
PackageVersion = Annotated[str, Text(r"^\{version\}$|^[0-9][0-9A-Za-z.+-]*$", "a version, in quotes, or {version}")]
Digest = Annotated[str, Text(r"^[0-9a-f]{64}$|^[0-9a-f]{128}$", "a SHA-256 or a SHA-512")]


class AssetFiles(Record):
    """Files of an asset that are found alike: at an address, or as packages in the index of a repository."""

    one_of = (("url", "packages"),)

    url: Address | None = None
    """Where the file is."""
    file: Part | None = None
    """What the file is called, where the end of its address does not say so."""
    checksums: Address | None = None
    """Where its publisher lists SHA-256 and file names, in the form of sha256sum."""
    repository: Address | None = None
    """Where the packages lie."""
    index: Part | None = None
    """What the repository holds, below its address: Packages or Packages.gz of Debian, repodata/repomd.xml of RPM."""
    packages: dict[str, PackageVersion] | None = None
    """Package to version, {version} for that of the asset. What the index adds after - or _ is not compared."""
    systems: dict[str, str] | None = None
    """The operating systems that they are for, and what {os} is there; null for all of them."""
    arches: dict[Arch, str] | None = None
    """The architectures that they are for, and what {arch} is there; null for all of them."""


class Asset(Record):
    """One asset."""

    name: str
    """What steps of nodes call it."""
    version: AssetVersion | None = None
    """The version that nodes get where the spec names none; null where it always names one."""
    files: Annotated[tuple[AssetFiles, ...], NotEmpty("at least one file")]
    """Where its files lie."""
    digests: dict[AssetVersion, Digest] = {}
    """Version to published checksum, where there is one file for all nodes."""
