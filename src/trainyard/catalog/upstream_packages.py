"""Finds the packages by which a registry tells that something has changed upstream."""

from __future__ import annotations

from trainyard.catalog import catalog_file, deployment_file
from trainyard.catalog.deployment_file import UpstreamPackage

PATH = catalog_file.FOLDER / "upstream_packages.yaml"


def upstream_packages() -> tuple[UpstreamPackage, ...]:
    """Return every package, in the order of the file."""
    data = catalog_file.content(PATH)
    packages = tuple(
        {"name": name, "registry": registry, **facts}
        for name, by_registry in data["packages"].items()
        for registry, facts in by_registry.items()
    )
    file = deployment_file.validated({"sources": data["sources"], "upstream_packages": packages})
    return file.upstream_packages or ()
