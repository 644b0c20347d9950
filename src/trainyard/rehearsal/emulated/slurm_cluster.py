"""What the head node of an emulated cluster knows of its cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class SlurmCluster:
    """What the head node knows of its cluster."""

    name: str
    config: Mapping[str, Any]
    log_group: str | None
    resources: Mapping[str, str]
    """Physical ids of the stack's resources by logical id."""
