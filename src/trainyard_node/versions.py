"""What is installed on the node, and how that was found. versions.json says where to look, the best place first."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from trainyard_node.places import Places
from trainyard_node.processes import Processes

# A driver that hangs must not make the question hang.
COMMAND_S = 5.0
AT_ONCE = 8


class InstalledVersion(NamedTuple):
    """A version, or that there is none."""

    name: str
    version: str | None
    found_by: str | None
    """What said so: a program, a file or a package."""


def versions(places: Places, processes: Processes) -> list[InstalledVersion]:
    """Return everything that is looked for, in the order of versions.json."""
    looked_for = json.loads(pkgutil.get_data("trainyard_node", "versions.json") or b"{}")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda item: _first(item[0], item[1], places, processes), looked_for.items()))


def as_json(found_versions: Iterable[InstalledVersion]) -> str:
    """Return them as one JSON object."""
    entries = {
        installed.name: {"version": installed.version, "found_by": installed.found_by} for installed in found_versions
    }
    return json.dumps({"schema": 1, "versions": entries}, indent=2)


def as_table(found_versions: Iterable[InstalledVersion]) -> str:
    """Return a line for each."""
    return "\n".join(
        f"{installed.name:25} {installed.version or '-':20} {installed.found_by or ''}".rstrip()
        for installed in found_versions
    )


def _first(name: str, ways: list[Mapping[str, Any]], places: Places, processes: Processes) -> InstalledVersion:
    for way in ways:
        version_found = _look(way, places, processes)
        if version_found is not None:
            return InstalledVersion(name, *version_found)
    return InstalledVersion(name, None, None)


def _look(way: Mapping[str, Any], places: Places, processes: Processes) -> tuple[str, str] | None:
    if "packages" in way:
        return _package(way["packages"], processes)
    if "command" in way:
        return _command(way["command"], way["match"], processes)
    if "path" in way:
        return _path(way["path"], way["match"], places)
    return _matched(way["match"], _text(places.at(way["file"])), way["file"])


def _command(command: list[str], match: str, processes: Processes) -> tuple[str, str] | None:
    ran = processes.run(command, COMMAND_S)
    return _matched(match, ran.output, " ".join(command)) if ran.status == 0 else None


def _path(pattern: str, match: str, places: Places) -> tuple[str, str] | None:
    root = places.at("/")
    for path in sorted(root.glob(pattern.lstrip("/")), reverse=True):
        version_found = _matched(match, str(path), "/" + str(path.relative_to(root)))
        if version_found is not None:
            return version_found
    return None


def _package(names: list[str], processes: Processes) -> tuple[str, str] | None:
    """Ask both kinds of systems: the one whose program is missing knows nothing."""
    for name in names:
        ran = processes.run(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}", name], COMMAND_S)
        version_found = _matched(r"^installed (\S+)", ran.output, f"package {name}") if ran.status == 0 else None
        if version_found is None:
            ran = processes.run(["rpm", "--query", "--queryformat", "%{VERSION}-%{RELEASE}", name], COMMAND_S)
            version_found = _matched(r"^(\S+)", ran.output, f"package {name}") if ran.status == 0 else None
        if version_found is not None:
            return version_found
    return None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")[:100_000]
    except OSError:
        return ""


def _matched(match: str, text: str, found_by: str) -> tuple[str, str] | None:
    match_ = re.search(match, text)
    return (match_[1].strip(), found_by) if match_ else None
