"""`make facts` writes what registries say into the file, and nothing else of it changes."""

from __future__ import annotations

import difflib
from datetime import date
from importlib import import_module
from pathlib import Path

import pytest

from trainyard.api.facts import PackageChange, fact_report
from trainyard.catalog.upstream_packages import PATH, upstream_packages
from trainyard.edge.package_registry import PackageRegistries

TOOLS = Path(__file__).parents[2] / "tools"


class ScriptedRegistries(PackageRegistries):
    """Registries in which one package has a newer version."""

    def newest_version(self, registry: str, package: str) -> str:
        """Return what was seen, but for one package."""
        (known,) = (one for one in upstream_packages() if one.name == package)
        assert known.registry == registry
        return "99.0.1" if package == "moto" else known.seen


@pytest.fixture
def refreshed(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    return import_module("refresh_facts").refreshed


def test_only_what_is_newer_is_a_change():
    report = fact_report(date(2026, 11, 22), registries=ScriptedRegistries())
    assert [(change.package, change.newest) for change in report.changes or ()] == [("moto", "99.0.1")]


def test_the_versions_and_the_day_are_written(refreshed):
    text = PATH.read_text(encoding="utf-8")
    report = fact_report(date(2026, 11, 22), registries=ScriptedRegistries())
    new = refreshed(text, report.changes, "2026-12-24")
    changed = [line for line in difflib.ndiff(text.splitlines(), new.splitlines()) if line.startswith("+ ")]
    assert changed == ['+     read: "2026-12-24"', "+       seen: 99.0.1"]


def test_a_version_that_two_packages_share_changes_where_it_is_meant(refreshed):
    packages = {name: f"  {name}:\n    pypi:\n      seen: 1.0\n      about: it\n" for name in ("a", "b", "aa")}
    text = 'sources:\n  pypi:\n    read: "2026-01-01"\npackages:\n' + "".join(packages.values())
    new = refreshed(text, (PackageChange("b", "pypi", "1.0", "2.0", "it"),), "2026-01-02")
    newer = packages["b"].replace("1.0", "2.0")
    assert new == text.replace("2026-01-01", "2026-01-02").replace(packages["b"], newer)


def test_what_two_versions_of_parallelcluster_say_differently_is_told_by_its_place(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    differences = import_module("add_parallelcluster").differences
    before = {"MAX": 5, "schema": {"days": [0, 35], "kind": ["a"]}, "gone": 1}
    after = {"MAX": 5, "schema": {"days": [0, 90], "kind": ["a"]}, "made": [2]}
    assert list(differences(before, after)) == [
        "gone: 1 is now null",
        "made: null is now [2]",
        "schema.days: [0, 35] is now [0, 90]",
    ]
    assert list(differences(before, before)) == []


@pytest.mark.parametrize("target", ["facts", "prices"])
def test_what_is_derived_from_facts_is_written_with_them(target: str):
    makefile = (TOOLS.parent / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.split(f"\n{target}: ")[1].split("\n\n")[0].splitlines()[1:]
    assert recipe[-1] == "\tpython tools/generate.py"
    assert len(recipe) == 2
