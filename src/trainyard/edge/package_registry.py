"""Asks package registries for the newest version of a package, as anybody may."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal

from trainyard.edge.downloads import Downloader
from trainyard.errors import TrainyardError

Registry = Literal["pypi"]
# https://docs.pypi.org/api/json/
_ADDRESSES: dict[Registry, str] = {"pypi": "https://pypi.org/pypi/{package}/json"}
_MOST_BYTES = 16 << 20


@dataclass(frozen=True)
class PackageRegistries:
    """The public registries."""

    downloader: Downloader = field(default_factory=Downloader)
    addresses: dict[Registry, str] = field(default_factory=lambda: dict(_ADDRESSES))

    def newest_version(self, registry: Registry, package: str) -> str:
        """Return the newest version that is no pre-release. Raises TrainyardError where there is no answer."""
        url = self.addresses[registry].format(package=package)
        try:
            version = json.loads(self.downloader.content(url, _MOST_BYTES))["info"]["version"]
        except (ValueError, KeyError, TypeError) as error:
            problem = f"the answer of {url} has no version"
            raise TrainyardError(problem, hint="look who answers at this address") from error
        return str(version)
