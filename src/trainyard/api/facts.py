"""Which facts of the catalog are old, what others stop supporting soon, and what has changed upstream."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from trainyard.catalog.ages import Age, ages
from trainyard.catalog.support_ends import SupportEnd, support_ends
from trainyard.catalog.upstream_packages import upstream_packages
from trainyard.edge.package_registry import PackageRegistries

if TYPE_CHECKING:
    from trainyard.catalog.deployment_file import UpstreamPackage

__all__ = ["FactReport", "PackageChange", "fact_report"]


class PackageChange(NamedTuple):
    """A package whose newest version is not the one that was there at the last look."""

    package: str
    registry: str
    seen: str
    newest: str
    about: str
    """What may have changed with it, and where the catalog has it."""


class FactReport(NamedTuple):
    """What is to be known about the facts on a day."""

    today: date
    ages: tuple[Age, ...]
    """Every file of the catalog, the one that is believed the shortest first."""
    ends: tuple[SupportEnd, ...]
    """What ends within the asked number of days, or has ended in as many, the earliest first."""
    changes: tuple[PackageChange, ...] | None
    """None where no registry was asked."""

    @property
    def expired(self) -> tuple[Age, ...]:
        """Return the files whose facts are believed no more."""
        return tuple(age for age in self.ages if age.until < self.today)


def fact_report(today: date, within_days: int = 180, registries: PackageRegistries | None = None) -> FactReport:
    """Return what is old or ends soon and, with registries, what has changed. Raises TrainyardError without answers."""
    span = timedelta(days=within_days)
    ends = tuple(end for end in support_ends() if today - span <= end.until <= today + span)
    changes = (
        None
        if registries is None
        else tuple(
            change for package in upstream_packages() if (change := package_change(package, registries)) is not None
        )
    )
    return FactReport(today, ages(), ends, changes)


def package_change(package: UpstreamPackage, registries: PackageRegistries) -> PackageChange | None:
    """Return what a registry says of a package, or None where nothing is new. Raises TrainyardError."""
    newest = registries.newest_version(package.registry, package.name)
    if newest == package.seen:
        return None
    return PackageChange(package.name, package.registry, package.seen, newest, package.about)
