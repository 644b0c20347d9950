"""The platforms, by the name that a spec gives them. This is the only place outside `platforms/` that names them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.platform_entry import Platform
from trainyard.platforms.batch import BATCH
from trainyard.platforms.eks import EKS
from trainyard.platforms.environment import ENVIRONMENT
from trainyard.platforms.parallelcluster import PARALLELCLUSTER

__all__ = ["ENVIRONMENT", "PLATFORMS", "platform_named", "platform_of"]

if TYPE_CHECKING:
    from trainyard.spec.cluster import Spec  # the spec itself asks the table which platforms there are

PLATFORMS: dict[str, Platform] = {platform.name: platform for platform in (PARALLELCLUSTER, BATCH, EKS)}


def all_entries() -> tuple[Platform, ...]:
    """Return the platforms, and the entry of environments."""
    return (*PLATFORMS.values(), ENVIRONMENT)


def platform_of(spec: Spec) -> Platform:
    """Return what a spec is deployed on; for an environment, the entry that stands for those."""
    return ENVIRONMENT if spec.is_environment else PLATFORMS[spec.platform]


def platform_named(name: str) -> Platform:
    """Return the platform that something which was written down names. Raises KeyError where there is none."""
    return PLATFORMS[name]
