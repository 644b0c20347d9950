"""How long each kind of nodes takes to come up, step by step, with an official image and with a baked one.

Steps run one after the other. What nobody has measured is not counted, but named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from trainyard.bootstrap.steps import BootstrapStep
from trainyard.catalog.bootstrap_times import BOOT, IN_PLACE, Seconds, source_of, step_seconds
from trainyard.catalog.source import Source
from trainyard.deploy.plan.time_bounds import Bound, bounds
from trainyard.deploy.withheld_nodes import withheld_nodes
from trainyard.platform_table import platform_of
from trainyard.render.nodes import NodeKind, node_kinds, steps_of
from trainyard.rules.head_node_timeout_final import has_scripts
from trainyard.rules.timeout_below_bootstrap import nodes_before_head_node
from trainyard.spec.cluster import Spec

OWN_SCRIPTS = "scripts of your own"


class StepTime(NamedTuple):
    """One step on one kind of nodes."""

    name: str
    official: Seconds | None
    """With an official image; None where nobody measured it."""
    baked: Seconds | None
    """With an image that holds what an image can hold."""
    deferred: bool
    """Whether it runs once the node is up; jobs wait for required ones only."""
    is_baked: bool
    network: bool
    source: Source | None


class Total(NamedTuple):
    """What several steps take together."""

    least_s: int
    most_s: int
    unknown: tuple[str, ...]
    """Steps that are not counted because nobody has measured them."""


@dataclass(frozen=True, slots=True)
class NodeTime:
    """One kind of nodes."""

    name: str
    """head, login or queue/NAME."""
    role: str
    steps: tuple[StepTime, ...]
    """In their order; the deferred ones too."""
    bounds: tuple[Bound, ...]
    """The shortest comes first."""
    own_image: bool = False
    """Whether the spec names an image for them, which may hold anything."""

    @property
    def official(self) -> Total:
        """With an official image, until the node is up."""
        return _total((step.name, step.official) for step in self.steps if not step.deferred)

    @property
    def baked(self) -> Total:
        """With a baked image, until the node is up."""
        return _total((step.name, step.baked) for step in self.steps if not step.deferred)

    @property
    def deferred(self) -> Total:
        """What comes after that."""
        return _total((step.name, step.official) for step in self.steps if step.deferred)

    @property
    def saved(self) -> Total:
        """What a baked image saves until the node is up."""
        return _total((step.name, _difference(step)) for step in self.steps if step.is_baked and not step.deferred)


@dataclass(frozen=True, slots=True)
class TimeBudget:
    """All kinds of nodes of a cluster, and the longest chain among those that its creation waits for."""

    nodes: tuple[NodeTime, ...]
    critical: tuple[NodeTime, ...]
    """The head node, and the slowest of the nodes that it waits for."""

    @property
    def official(self) -> Total:
        """What the chain takes with official images."""
        return _joined(node.official for node in self.critical)

    @property
    def baked(self) -> Total:
        """What the chain takes with baked images."""
        return _joined(node.baked for node in self.critical)


def time_budget(spec: Spec) -> TimeBudget | None:
    """Return the budget of a cluster; None where its nodes run no release, which is what takes the time."""
    if not platform_of(spec).nodes_run_release:
        return None
    nodes = {name: _node_time(spec, name, kind) for name, kind in node_kinds(spec).items()}
    late = {group.path for group in withheld_nodes(spec)}
    waited = {f"queue/{group.queue.name}" for group in nodes_before_head_node(spec) if group.path not in late}
    slowest = sorted((nodes[name] for name in waited), key=lambda node: (node.official.most_s, node.name))
    return TimeBudget(tuple(nodes.values()), (nodes["head"], *slowest[-1:]))


def _node_time(spec: Spec, name: str, kind: NodeKind) -> NodeTime:
    return NodeTime(name, kind.role, tuple(_steps(spec, kind)), bounds(spec, name), _has_own_image(spec, kind))


def _steps(spec: Spec, kind: NodeKind) -> Iterator[StepTime]:
    boot = step_seconds(BOOT, kind.role, spec.image.os)
    source = source_of(BOOT, kind.role, spec.image.os)
    yield StepTime(BOOT, boot, boot, deferred=False, is_baked=False, network=False, source=source)
    if spec.installs_anything:
        yield from (_step_time(spec, kind, step) for step in steps_of(spec, kind))
    if _has_own_scripts(spec, kind):
        yield StepTime(OWN_SCRIPTS, None, None, deferred=False, is_baked=False, network=False, source=None)


def _step_time(spec: Spec, kind: NodeKind, step: BootstrapStep) -> StepTime:
    # Without a version that is asked for, the image's own EFA is kept.
    timed_name = IN_PLACE if step.name == "efa" and spec.software.efa_version is None else step.name
    variants = (kind.role, spec.image.os)
    official = step_seconds(timed_name, *variants)
    # A step that nobody has measured is counted with neither image, or the baked one would look slower.
    in_place = None if official is None else step_seconds(IN_PLACE, *variants)
    return StepTime(
        step.name,
        official,
        in_place if step.baked else official,
        deferred=step.deferred,
        is_baked=step.baked,
        network=step.network and timed_name != IN_PLACE,
        source=source_of(timed_name, *variants),
    )


def _has_own_scripts(spec: Spec, kind: NodeKind) -> bool:
    if kind.queue is not None:
        return has_scripts(kind.queue.custom_actions)
    if kind.role == "head":
        return has_scripts(spec.head_node.custom_actions)
    return any(has_scripts(pool.custom_actions) for _, pool in spec.login_pools())


def _has_own_image(spec: Spec, kind: NodeKind) -> bool:
    if spec.image.ami is not None:
        return True
    if kind.queue is not None:
        return kind.queue.ami is not None
    if kind.role == "head":
        return spec.head_node.ami is not None
    return all(pool.ami is not None for _, pool in spec.login_pools())


def _difference(step: StepTime) -> Seconds | None:
    if step.official is None or step.baked is None:
        return None
    return max(0, step.official[0] - step.baked[1]), max(0, step.official[1] - step.baked[0])


def _total(parts: Iterable[tuple[str, Seconds | None]]) -> Total:
    listed = list(parts)
    seconds_known = [seconds for _, seconds in listed if seconds is not None]
    unknown = tuple(name for name, seconds in listed if seconds is None)
    return Total(sum(least for least, _ in seconds_known), sum(most for _, most in seconds_known), unknown)


def _joined(totals: Iterable[Total]) -> Total:
    listed = list(totals)
    unknown = dict.fromkeys(name for total in listed for name in total.unknown)
    return Total(sum(total.least_s for total in listed), sum(total.most_s for total in listed), tuple(unknown))
