"""How long the stages of a deployment will take, as far as somebody measured it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.catalog import step_minutes
from trainyard.catalog.source import Source
from trainyard.deploy.time_budget import NodeTime, TimeBudget, time_budget
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
    not_counted: tuple[str, ...] = ()
    """Steps of nodes that nobody measured, and that come on top."""


def expected_minutes(spec: Spec) -> tuple[Stage, ...]:
    """Return the stages in their order: what the cluster stands on, the cluster, its head node, its compute nodes."""
    if spec.is_environment:
        return tuple(_infrastructure(spec))
    cluster = _cluster(spec)
    budget = time_budget(spec)
    return (*_infrastructure(spec), cluster, *(() if budget is None else _nodes(spec, budget)))


def _cluster(spec: Spec) -> Stage:
    if spec.platform == "eks":
        found = step_minutes.stage_minutes("eks-cluster")
        minutes = None if found is None else Minutes(*found)
        sources = tuple(step_minutes.sources_of("eks-cluster").values())
        return Stage("cluster", "control plane, add-ons and the first nodes", minutes, sources)
    apart = "" if spec.platform == "batch" else ", apart from the head node"
    return Stage("cluster", f"the cluster's own stack{apart}", None)


def in_all(stages: tuple[Stage, ...]) -> tuple[Minutes, bool]:
    """Return the sum of what is known, and whether that is everything. Where it is not, the sum is an "at least"."""
    known = [stage.minutes for stage in stages if stage.minutes is not None]
    total = Minutes(sum(one.least for one in known), sum(one.most for one in known))
    return total, len(known) == len(stages) and not any(stage.not_counted for stage in stages)


def _infrastructure(spec: Spec) -> Iterator[Stage]:
    """Yield network, file systems and monitoring as one stage: so they were measured. An environment has them."""
    if spec.environment is not None:
        return
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


def _nodes(spec: Spec, budget: TimeBudget) -> Iterator[Stage]:
    """Yield the head node, and the nodes that run from the beginning: these start side by side, the slowest counts."""
    by_name = {node.name: node for node in budget.nodes}
    yield _stage("head-node", "start and set-up of the head node", [by_name["head"]])
    always = {f"queue/{group.queue.name}" for group in spec.node_groups() if group.min_nodes > 0}
    if always:
        nodes = [by_name[name] for name in sorted(always)]
        yield _stage("compute-nodes", "start and set-up of the nodes that always run", nodes)


def _stage(name: str, what: str, nodes: list[NodeTime]) -> Stage:
    totals = [node.official for node in nodes]
    least, most = max(total.least_s for total in totals), max(total.most_s for total in totals)
    steps = [step for node in nodes for step in node.steps if not step.deferred]
    sources = dict.fromkeys(step.source for step in steps if step.source is not None)
    unknown = dict.fromkeys(step for total in totals for step in total.unknown)
    return Stage(name, what, Minutes(least // 60, -(-most // 60)), tuple(sources), tuple(unknown))
