"""The reference architectures of one platform, for tests of what only that platform has."""

from __future__ import annotations

from trainyard.architectures import Architecture, all_architectures
from trainyard.spec.parsing import parse


def architectures_on(platform: str) -> tuple[Architecture, ...]:
    """Return them, by name."""
    return tuple(
        architecture
        for architecture in all_architectures()
        if parse(architecture.text, architecture.name).spec.platform == platform
    )
