"""Versions that must not meet: the record of one such case."""

from __future__ import annotations

from typing import Annotated, Literal

from trainyard.field import Positive, Text
from trainyard.record import Record

Component = Literal[
    "parallelcluster",
    "slurm",
    "kubernetes",
    "kernel",
    "nvidia-driver",
    "fabric-manager",
    "cuda",
    "nccl",
    "efa-installer",
    "libfabric",
    "aws-ofi-nccl",
    "dcgm",
    "efa-device-plugin",
    "nvidia-device-plugin",
    "nvrx",
]
Bound = Annotated[str, Text(r"^[0-9]+(\.[0-9]+)*$", "a version such as 2.28.3")]


class SoftwareComponent(Record):
    """Software whose versions are held against one another, and how else people call it."""

    title: str
    """As its makers write it."""
    aliases: tuple[str, ...] = ()
    """Other names that people give it on a command line."""
    environment: tuple[str, ...] = ()
    """Variables by which images say which version they have."""


class VersionBounds(Record):
    """A range of versions; without bounds, every version."""

    least: Bound | None = None
    """The first version of the range."""
    below: Bound | None = None
    """The first version after the range."""


class VersionConflict(Record):
    """Versions of components, on certain instance types where some are named, that do not work together."""

    components: dict[Component, VersionBounds]
    """Component to range: the case is there where all of them are in their range."""
    unequal: bool = False
    """Whether the case is there only where the versions of the components differ."""
    families: tuple[str, ...] = ()
    """Families of instance types that are concerned; without any, it depends on no family."""
    efa_generations: tuple[Positive, ...] = ()
    """Generations of EFA that are concerned; without any, it depends on no generation."""
    severity: Literal["error", "warning", "info"]
    """How a spec with it is judged. One that only may have it is judged one step milder."""
    confidence: Literal["certain", "likely", "possible"]
    """How sure the sources are that a cluster of ours has the effect."""
    evidence: Literal["vendor", "maintainer", "source-code", "measured", "report"]
    """Who says so: the vendor's documents, a maintainer, the code itself, somebody's measurement, somebody's report."""
    effect: Annotated[str, Text(r"^\S.*[^.]$", "a sentence without its full stop")]
    """What happens."""
    remedy: Annotated[str, Text(r"^\S.*[^.]$", "a sentence without its full stop")]
    """What to do."""
    source: str
    """Id of the source."""
