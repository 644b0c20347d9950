"""Whether the versions that a run names go together: expectations/versions.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import yaml

from trainyard.bench.case import Case
from trainyard.bench.machine import FOLDER
from trainyard.finding import Finding

Version = tuple[int, ...]
_PARTS = re.compile(r"v?(\d+(?:\.\d+)*)")
_BOUND = re.compile(r"(>=|<)(.+)")


def version_findings(case: Case) -> Iterator[Finding]:
    """Yield each rule that they break, a second plugin, and an NCCL that is newer than the plugin was tested with."""
    broken = [rule for rule in _table()["rules"] if _holds(rule, case)]
    for rule in broken:
        yield _finding(case, _named(rule, case), rule["why"], rule["remedy"], rule["source"])
    yield from _second_plugin(case)
    if not any({"nccl", "plugin"} <= set(rule["versions"]) for rule in broken):
        yield from _untested(case)


def _versions(case: Case) -> dict[str, str]:
    """Return the versions that were used, and those that are installed where nothing says what was used."""
    installed = "installed-"
    named = case.run.versions
    of_node = {name.removeprefix(installed): value for name, value in named.items() if name.startswith(installed)}
    return {**of_node, **named}


def _holds(rule: dict[str, Any], case: Case) -> bool:
    run, machine = case.run, case.machine
    if "machines" in rule and (machine is None or machine.name not in rule["machines"]):
        return False
    if "accelerators" in rule and (machine is None or machine.accelerator not in rule["accelerators"]):
        return False
    if any(run.environment.get(name) == value for name, value in rule.get("unless", {}).items()):
        return False
    versions = _versions(case)
    return all(within(versions.get(name, ""), bound) for name, bound in rule["versions"].items())


def _named(rule: dict[str, Any], case: Case) -> str:
    versions = _versions(case)
    named = " and ".join(f"{name} {versions[name]}" for name in rule["versions"])
    machine = case.machine.name if case.machine is not None else ""
    return f"{named} on {machine}" if {"machines", "accelerators"} & set(rule) else named


def _second_plugin(case: Case) -> Iterator[Finding]:
    """Yield where the plugin is not that of the EFA installer."""
    table = _table()["brought_by_installer"]
    installer, plugin = (_versions(case).get(name, "") for name in ("efa-installer", "plugin"))
    brought = next((value for by, value in table["plugin"].items() if version(by) == version(installer)), None)
    if brought is not None and version(plugin) not in {None, version(brought)}:
        why = f"the installer brings {brought}, so there are two of them"
        remedy = "see which of them LD_LIBRARY_PATH finds first, and remove the other"
        yield _finding(case, f"plugin {plugin} and efa-installer {installer}", why, remedy, table["source"])


def _untested(case: Case) -> Iterator[Finding]:
    """Yield where NCCL is newer, by more than a patch, than what this release of the plugin was tested with."""
    table = _table()["tested_with"]
    versions = _versions(case)
    nccl, plugin = (version(versions.get(name, "")) for name in ("nccl", "plugin"))
    if nccl is None or plugin is None:
        return
    of_series = [tested for release, tested in table["nccl"].items() if (version(release) or ())[:2] == plugin[:2]]
    newest = max((version(release_name) or () for release_name in of_series), default=None)
    if newest is not None and nccl[:2] > newest[:2]:
        names = f"nccl {versions['nccl']} and plugin {versions['plugin']}"
        why = f"releases of this series of the plugin were tested up to NCCL {'.'.join(map(str, newest))}"
        yield _finding(case, names, why, "take a newer plugin", table["source"])


def _finding(case: Case, versions: str, why: str, remedy: str, source: str) -> Finding:
    return case.finding("bench-versions", f"{versions}: {why}")._replace(remedy=remedy, source=source)


@cache
def _table() -> dict[str, Any]:
    # As a number, version 1.10 would be 1.1: everything is text.
    content = (FOLDER / "versions.yaml").read_bytes()
    table: dict[str, Any] = yaml.load(content, Loader=yaml.CBaseLoader)  # noqa: S506  makes nothing but text
    return table


def version(text: str) -> Version | None:
    """Return the numbers that a version begins with, without zeros at its end; None where it begins with none."""
    match = _PARTS.match(text.strip())
    if match is None:
        return None
    parts = [int(part) for part in match[1].split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def within(text: str, bound: str) -> bool:
    """Return whether a version keeps to a bound such as >=2.19 or <1.29; what is no version keeps to none.

    Raises ValueError where the bound is none.
    """
    match = _BOUND.fullmatch(bound)
    limit = None if match is None else version(match[2])
    if match is None or limit is None:
        raise ValueError(f"{bound} is no bound")
    own = version(text)
    return own is not None and (own >= limit if match[1] == ">=" else own < limit)
