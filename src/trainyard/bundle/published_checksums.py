"""Reads what publishers say about their files: lists of checksums, and the indexes of package repositories.

Everything here comes from the internet. What is not of the expected form is an error, never a guess.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.etree import ElementTree as ET

from trainyard.errors import TrainyardError

MOST_BYTES = 200_000_000
"""The most that an index may hold once it is unpacked; that of CUDA for Ubuntu has some ten million."""
_DEBIAN_ARCHES = {"x86_64": "amd64", "aarch64": "arm64"}
_DIGEST = re.compile(r"[0-9a-f]{64}|[0-9a-f]{128}")
# Folders and a file name, none of which begins with a dot but the folder itself. Packages have ~ and + in theirs.
_PATH = re.compile(r"(\./)?/?([A-Za-z0-9][A-Za-z0-9._+~-]*/)*[A-Za-z0-9][A-Za-z0-9._+~-]*")
_LISTED = re.compile(r"([0-9A-Fa-f]{64}|[0-9A-Fa-f]{128}) [ *](.+)")


class PublishedFile(NamedTuple):
    """A file as its publisher describes it."""

    path: str
    """Where it lies, below the address of the repository."""
    digest: str
    """SHA-256 or SHA-512."""
    size_bytes: int


def listed_digest(content: bytes, file: str, where: str) -> str:
    """Return the checksum of a file from a list as sha256sum writes it, or from a file that holds nothing but one.

    https://www.gnu.org/software/coreutils/manual/html_node/cksum-output-modes.html
    """
    lines = _text(content, where).splitlines()
    digests = {match[1].lower() for line in lines if (match := _LISTED.fullmatch(line)) and match[2].strip() == file}
    if not digests and len(lines) == 1 and _DIGEST.fullmatch(lines[0].strip().lower()):
        digests = {lines[0].strip().lower()}
    if len(digests) != 1:
        raise _unusable(where, f"it does not list {file}" if not digests else f"it lists {file} twice, differently")
    return digests.pop()


def debian_package(content: bytes, package: str, version: str, arch: str, where: str) -> PublishedFile:
    """Return a package from Packages or Packages.gz.

    https://wiki.debian.org/DebianRepository/Format
    """
    arches = (_DEBIAN_ARCHES.get(arch, arch), "all")
    publisheds = [
        PublishedFile(
            paragraph.get("Filename", ""), paragraph.get("SHA256", "").lower(), _size(paragraph.get("Size", ""))
        )
        for paragraph in _paragraphs(_text(gunzip(content, where), where))
        if paragraph.get("Package") == package
        and paragraph.get("Architecture") in arches
        and _is_version(paragraph.get("Version", ""), version)
    ]
    return _only(publisheds, f"{package} {version}", where)


def primary_of(content: bytes, where: str) -> PublishedFile:
    """Return where a repomd.xml says that the list of packages is.

    As createrepo_c writes it: https://github.com/rpm-software-management/createrepo_c
    """
    publisheds = [
        PublishedFile(_attribute(data, "location", "href"), _inner(data, "checksum"), _size(_inner(data, "size")))
        for data in _xml(content, where).iter(f"{_REPO}data")
        if data.get("type") == "primary"
    ]
    return _only(publisheds, "list of packages", where)


def rpm_package(content: bytes, package: str, version: str, arch: str, where: str) -> PublishedFile:
    """Return a package from primary.xml or primary.xml.gz."""
    publisheds = [
        PublishedFile(
            _attribute(package_element, "location", "href"),
            _inner(package_element, "checksum"),
            _size(_attribute(package_element, "size", "package")),
        )
        for package_element in _xml(gunzip(content, where), where).iter(f"{_COMMON}package")
        if _inner(package_element, "name") == package
        and _inner(package_element, "arch") in (arch, "noarch")
        and _is_version(_attribute(package_element, "version", "ver"), version)
    ]
    return _only(publisheds, f"{package} {version}", where)


def gunzip(content: bytes, where: str) -> bytes:
    """Return what a gzip file holds, or what is no gzip file as it is. Raises TrainyardError for anything else."""
    if content[:2] != b"\x1f\x8b":
        return content
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(content, MOST_BYTES)
    except zlib.error as error:
        raise _unusable(where, f"it cannot be unpacked: {error}") from error
    if not unpacker.eof:
        raise _unusable(where, f"it is cut short, or holds more than {MOST_BYTES:,} bytes")
    return plain


_REPO = "{http://linux.duke.edu/metadata/repo}"
_COMMON = "{http://linux.duke.edu/metadata/common}"


def _xml(content: bytes, where: str) -> ET.Element:
    # No document type: with none there are no entities to expand.
    # https://docs.python.org/3/library/xml.html#xml-security
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise _unusable(where, "it declares a document type")
    try:
        return ET.fromstring(content)  # noqa: S314  as above
    except ET.ParseError as error:
        raise _unusable(where, f"it is not XML: {error}") from error


def _inner(node: ET.Element, name: str) -> str:
    child = node.find(f"{{*}}{name}")
    return "" if child is None else (child.text or "").strip()


def _attribute(node: ET.Element, name: str, attribute: str) -> str:
    child = node.find(f"{{*}}{name}")
    return "" if child is None else child.get(attribute, "")


def _paragraphs(text: str) -> Iterator[Mapping[str, str]]:
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line.partition(": ") for line in paragraph.splitlines() if not line.startswith((" ", "\t"))]
        yield {key: value.strip() for key, _, value in lines}


def _is_version(version_text: str, version: str) -> bool:
    """Return whether a version of the index is the wanted one, whatever its epoch and the packager's own part are."""
    upstream = version_text.partition(":")[2] or version_text
    return upstream == version or upstream.startswith((f"{version}-", f"{version}_"))


def _only(candidates: list[PublishedFile], what: str, where: str) -> PublishedFile:
    """Return the last: indexes list later builds of a version after earlier ones."""
    if not candidates:
        raise _unusable(where, f"it has no {what}")
    last = candidates[-1]
    if not _DIGEST.fullmatch(last.digest) or not _PATH.fullmatch(last.path):
        raise _unusable(where, f"what it says about {what} is not of the expected form")
    return last._replace(path=last.path.removeprefix("./").lstrip("/"))


def _size(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0


def _text(content: bytes, where: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise _unusable(where, "it is not text") from None


def _unusable(where: str, problem: str) -> TrainyardError:
    hint = "its publisher may have moved on: a later version of trainyard may know more"
    return TrainyardError(f"what is published at {where} cannot be used: {problem}", where=where, hint=hint)
