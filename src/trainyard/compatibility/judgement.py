"""Holds a set of versions against the catalog's cases: which of its versions do not go together, and who says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from trainyard.catalog.version_conflict import Component, VersionConflict
from trainyard.catalog.version_conflicts import (
    components,
    is_of_family,
    is_within,
    number_of,
    source_of,
    version_conflicts,
)
from trainyard.compatibility.version_set import VersionSet
from trainyard.finding import SEVERITIES, Finding, Severity


class Incompatibility(NamedTuple):
    """A case of the catalog that a set of versions has, or may have."""

    case: str
    conflict: VersionConflict
    severity: Severity
    certain: bool
    """Whether the versions are known exactly enough."""
    versions: VersionSet
    """Those of the components of the case."""
    instance_types: tuple[str, ...]
    """Those that it is about, where it depends on them."""

    def finding(self) -> Finding:
        """Return it as a finding."""
        parts = [f"{components()[name].title} {version.shown}" for name, version in self.versions.items()]
        on_types = f" on {', '.join(self.instance_types)}" if self.instance_types else ""
        joint = ":" if self.certain else ", and with some of these"
        message = f"{' with '.join(parts)}{on_types}{joint} {self.conflict.effect}"
        return Finding("version-conflict", self.severity, message, self.conflict.remedy, source_of(self.conflict).url)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        source = source_of(self.conflict)
        return {
            "case": self.case,
            "severity": self.severity,
            "versions": {name: version.shown for name, version in self.versions.items()},
            "instance_types": list(self.instance_types),
            "effect": self.conflict.effect,
            "remedy": self.conflict.remedy,
            "evidence": self.conflict.evidence,
            "confidence": self.conflict.confidence,
            "source": source.url,
            "read": source.read,
        }


def incompatibilities(versions: VersionSet, instance_types: Iterable[str] = ()) -> tuple[Incompatibility, ...]:
    """Return what does not go together, the worst first."""
    cases = list(_cases(versions, tuple(instance_types)))
    whole = [set(one.conflict.components) for one in cases]
    # A case of one component, such as one that asks whether jobs use something, gives way where that is in the set.
    kept = [
        one
        for one in cases
        if not any(one.conflict.source == other.conflict.source and set(one.conflict.components) < parts
                   for other, parts in zip(cases, whole, strict=True))
    ]  # fmt: skip
    return tuple(sorted(kept, key=lambda one: SEVERITIES.index(one.severity)))


def cases_about_instance_types(versions: VersionSet) -> int:
    """Return how many cases could only be judged with an instance type."""
    return sum(
        bool(conflict.families or conflict.efa_generations) and conflict.components.keys() <= versions.keys()
        for conflict in version_conflicts().values()
    )


def _cases(versions: VersionSet, instance_types: tuple[str, ...]) -> Iterator[Incompatibility]:
    for case, conflict in version_conflicts().items():
        depends = bool(conflict.families or conflict.efa_generations)
        concerned = tuple(name for name in instance_types if is_of_family(name, conflict)) if depends else ()
        if (depends and not concerned) or not conflict.components.keys() <= versions.keys():
            continue
        own = {component: versions[component] for component in conflict.components}
        certainties = {is_within(own[name].version, bounds) for name, bounds in conflict.components.items()}
        may = "maybe" in certainties
        if "no" in certainties or (may and conflict.severity != "error") or (conflict.unequal and _are_equal(own)):
            continue
        yield Incompatibility(case, conflict, "warning" if may else conflict.severity, not may, own, concerned)


def _are_equal(versions: VersionSet) -> bool:
    first, *others = (number_of(version.version.least) for version in versions.values())
    # A version that is known only in part is that of the other as far as it goes.
    return all(other[: len(first)] == first[: len(other)] for other in others)


def versions_json(versions: VersionSet) -> dict[Component, dict[str, str]]:
    """Return a set as JSON has it."""
    return {name: {"version": version.shown, "from": version.origin} for name, version in versions.items()}
