"""How long the stages of a deployment will take, as far as somebody measured it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from trainyard.catalog import bootstrap_minutes, step_minutes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.catalog.source import Source
    from trainyard.spec.cluster import Spec


class Minutes(NamedTuple):
    """The least and the most that was measured; a guess at both ends."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of a deployment that takes time. Without minutes: nobody measured it, however long it takes."""

    name: str
    what: str
    minutes: Minutes | None
    sources: tuple[Source, ...] = ()


def expected_minutes(spec: Spec) -> tuple[Stage, ...]:
    """Return the stages in their order: what the cluster stands on, the cluster, its head node, its compute nodes."""
    if spec.is_environment:
        return tuple(_infrastructure(spec))
    cluster = Stage("cluster", "the cluster's own stack, apart from the head node", None)
    return (*_infrastructure(spec), cluster, _head_node(), *_compute_nodes(spec))


def in_all(stages: tuple[Stage, ...]) -> tuple[Minutes, bool]:
    """Return the sum of what is known, and whether that is everything. Where it is not, the sum is an "at least"."""
    known = [stage.minutes for stage in stages if stage.minutes is not None]
    total = Minutes(sum(one.least for one in known), sum(one.most for one in known))
    return total, len(known) == len(stages)


def _infrastructure(spec: Spec) -> Iterator[Stage]:
    """Yield network, file systems and monitoring as one stage: so they were measured."""
    lustre = any(one.kind == "lustre" and one.settings.id is None for one in spec.file_systems)
    openzfs = any(one.kind == "openzfs" and one.settings.id is None for one in spec.file_systems)
    what = "network, file systems and monitoring together"
    if spec.network.existing is None and not openzfs:
        parts = ("infrastructure", "lustre") if lustre else ("infrastructure",)
        yield _of_parts("infrastructure", what, parts)
    elif lustre and not openzfs and spec.monitoring.mode == "none":
        yield _of_parts("infrastructure", "file systems", ("lustre",))
    elif lustre or openzfs or spec.network.existing is None or spec.monitoring.mode != "none":
        yield Stage("infrastructure", what, None)


def _of_parts(name: str, what: str, parts: tuple[str, ...]) -> Stage:
    """Return a stage whose parts are measured together and apart: from the least to the most of any of them."""
    minutes = [found for part in parts if (found := step_minutes.stage_minutes(part)) is not None]
    sources = tuple(source for part in parts for source in step_minutes.sources_of(part).values())
    return Stage(name, what, Minutes(min(low for low, _ in minutes), max(high for _, high in minutes)), sources)


def _head_node() -> Stage:
    minutes = Minutes(*bootstrap_minutes.head_node_minutes())
    return Stage("head-node", "start and set-up of the head node", minutes, _sources("head-node"))


def _compute_nodes(spec: Spec) -> Iterator[Stage]:
    """Yield the nodes that run from the beginning. They start side by side, so the slowest set-up counts."""
    setups = {group.queue.setup or spec.software.setup for group in spec.node_groups() if group.min_nodes > 0}
    if not setups:
        return
    found = [bootstrap_minutes.bootstrap_minutes(setup) for setup in sorted(setups)]
    known = [minutes for minutes in found if minutes is not None]
    slowest = Minutes(max(low for low, _ in known), max(high for _, high in known)) if known else None
    sources = tuple(dict.fromkeys(source for setup in sorted(setups) for source in _sources(setup)))
    minutes = slowest if len(known) == len(found) else None
    yield Stage("compute-nodes", "start and set-up of the nodes that always run", minutes, sources)


def _sources(name: str) -> tuple[Source, ...]:
    return tuple(bootstrap_minutes.sources_of(name).values())
