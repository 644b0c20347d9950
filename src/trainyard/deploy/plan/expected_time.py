"""How long the stages of a deployment will take, as far as somebody measured it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.catalog import step_minutes
from trainyard.catalog.source import Source
from trainyard.platform_table import platform_of
from trainyard.spec.cluster import Spec

_PARTS_OF_MONITORING = {"amp-only": ("amp",), "amp+amg": ("amp", "amg")}


class Minutes(NamedTuple):
    """The least and the most that was measured; a guess at both ends."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class PlannedStage:
    """A part of a deployment that takes time. Without minutes: nobody measured it, however long it takes."""

    name: str
    what: str
    minutes: Minutes | None
    sources: tuple[Source, ...] = ()
    not_counted: tuple[str, ...] = ()
    """Steps of nodes that nobody measured, and that come on top."""


def expected_minutes(spec: Spec) -> tuple[PlannedStage, ...]:
    """Return the stages in their order: what the cluster stands on, the cluster, its head node, its compute nodes."""
    return (*_infrastructure(spec), *platform_of(spec).plan().stages(spec))


def _infrastructure(spec: Spec) -> Iterator[PlannedStage]:
    """Yield network, file systems and monitoring as one stage: so they were measured. An environment has them."""
    if spec.environment is not None:
        return
    new = {file_system.kind for file_system in spec.file_systems if file_system.settings.id is None}
    # The stack that was measured as a whole held a network and an instance with Prometheus.
    whole = spec.network.existing is None or spec.monitoring.mode == "self-hosting"
    parts = (
        *(("infrastructure",) if whole else ()),
        *(kind for kind in ("lustre", "openzfs") if kind in new),
        *_PARTS_OF_MONITORING.get(spec.monitoring.mode, ()),
    )
    if parts:
        what = "network, file systems and monitoring together" if whole else "file systems and monitoring"
        yield stage_of_parts("infrastructure", what, parts)


def stage_of_parts(name: str, what: str, parts: tuple[str, ...]) -> PlannedStage:
    """Return a stage whose parts are measured together and apart: from the least to the most of any of them."""
    minutes = [stage for part in parts if (stage := step_minutes.stage_minutes(part)) is not None]
    sources = tuple(source for part in parts for source in step_minutes.sources_of(part).values())
    return PlannedStage(name, what, Minutes(min(low for low, _ in minutes), max(high for _, high in minutes)), sources)
