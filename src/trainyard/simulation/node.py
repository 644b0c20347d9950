"""A node as it is simulated: what it is, what it does and when, and what ails it and when."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from trainyard.catalog.gpus import compute_capability
from trainyard.catalog.instance_type import InstanceType
from trainyard.catalog.instances import find
from trainyard.simulation.curve import Curve, Piece

Kind = Literal["HeadNode", "LoginNode", "Compute"]
"""ParallelCluster's word."""
_FIRST_WITH_GPM = 90
PHASES = 16
"""So many nodes that are alike differ in their noise; the next have the same again, which is quick to write."""


class Spell(NamedTuple):
    """What a node does from a moment on: `busy` with a job that trains, or `idle`."""

    from_s: float
    activity: str


class Trouble(NamedTuple):
    """What ails a node for a time: an entry of troubles.yaml."""

    id: str
    from_s: float
    until_s: float = math.inf
    gpus: tuple[int, ...] = ()
    """Which GPUs it hits; none given: all."""
    devices: tuple[str, ...] = ()
    """Which EFA interfaces; none given: all."""

    @property
    def effects(self) -> Mapping[str, Any]:
        """Return what it changes, by exporter."""
        effects: Mapping[str, Any] = data("troubles")[self.id]
        return effects

    def ails(self, at_s: float) -> bool:
        """Whether it is there at a moment."""
        return self.from_s <= at_s < self.until_s


class NodeJob(NamedTuple):
    """A job that a node tells of itself."""

    id: str
    name: str
    owner: str
    """Its namespace, or its job queue."""
    from_s: float
    until_s: float = math.inf


class Where(NamedTuple):
    """Of what a series is: of a GPU, of an EFA interface, or of the node."""

    gpu: int | None = None
    device: str = ""

    def is_hit(self, trouble: Trouble) -> bool:
        """Whether a trouble of the node is one of this part of it."""
        return (self.gpu is None or not trouble.gpus or self.gpu in trouble.gpus) and (
            not self.device or not trouble.devices or self.device in trouble.devices
        )


class Stretch(NamedTuple):
    """A time in which nothing changes."""

    from_s: float
    activity: str
    troubles: tuple[Trouble, ...]


@dataclass(frozen=True)  # without slots: its stretches are made once
class SimulatedNode:
    """One node. `phase` tells it from nodes that are alike."""

    host: str
    """What the kernel calls it; of a compute node also Slurm's name."""
    kind: Kind
    instance_type: str
    phase: int = 0
    spells: tuple[Spell, ...] = (Spell(0.0, "idle"),)
    troubles: tuple[Trouble, ...] = ()
    jobs: tuple[NodeJob, ...] | None = None
    """None where Slurm tells which jobs are on it."""

    @cached_property
    def facts(self) -> InstanceType:
        """Return what the catalog knows. Raises LookupError where it does not know the type."""
        facts = find(self.instance_type)
        if facts is None:
            raise LookupError(f"{self.instance_type} is not in the catalog")
        return facts

    @property
    def gpus(self) -> int:
        """Return how many NVIDIA GPUs it has."""
        accelerators = self.facts.accelerators
        return accelerators.count if accelerators and accelerators.vendor == "nvidia" else 0

    @property
    def gpu_model(self) -> str:
        """Return the vendor's name of its GPUs."""
        return self.facts.accelerators.model if self.facts.accelerators else ""

    @property
    def has_gpm(self) -> bool:
        """Whether its GPUs tell which parts of them work: those from Hopper on."""
        return int(compute_capability(self.gpu_model) or 0) >= _FIRST_WITH_GPM

    @property
    def efa_interfaces(self) -> int:
        """Return how many EFA interfaces it has; only compute nodes are launched with any."""
        return (self.facts.efa_interfaces or 0) if self.kind == "Compute" else 0

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """Return its time in stretches."""
        ends = [moment for trouble in self.troubles for moment in (trouble.from_s, trouble.until_s)]
        begins = sorted({*(spell.from_s for spell in self.spells), *(end for end in ends if end < math.inf)})
        return tuple(Stretch(at_s, self._activity(at_s), self._ailing(at_s)) for at_s in begins)

    def _activity(self, at_s: float) -> str:
        before = [spell.activity for spell in self.spells if spell.from_s <= at_s]
        return before[-1] if before else "idle"

    def _ailing(self, at_s: float) -> tuple[Trouble, ...]:
        return tuple(trouble for trouble in self.troubles if trouble.ails(at_s))


def pieces(node: SimulatedNode, exporter: str, name: str, values: Mapping[str, Any], where: Where) -> tuple[Piece, ...]:
    """Return how a series goes through the time of a node. ``values``: as gpu_values.yaml explains them."""
    before: tuple[Trouble, ...] = ()
    found = []
    for stretch in node.stretches:
        rate = values.get("rate", {}).get(stretch.activity, 0.0)
        piece = Piece(stretch.from_s, _level(values, stretch.activity, where), rate)
        for trouble in filter(where.is_hit, stretch.troubles):
            piece = _changed(piece, trouble.effects.get(exporter, {}), name, begins=trouble not in before)
        found.append(piece)
        before = stretch.troubles
    return tuple(found)


def _level(values: Mapping[str, Any], activity: str, where: Where) -> float:
    """Return what it is without trouble. A counter begins once."""
    level: float = values["start"] if "start" in values else values[activity]
    return level + values.get("step", 0) * (where.gpu or 0) if level else level


def _changed(piece: Piece, effects: Mapping[str, Any], name: str, *, begins: bool) -> Piece:
    effect = effects.get(name)
    if effects.get("gone"):
        return piece._replace(level=None)
    if isinstance(effect, Mapping):
        added = effect.get("added", 0) if begins else 0
        return piece._replace(rate_per_s=effect.get("rate", piece.rate_per_s), added=piece.added + added)
    if effect is not None:
        return piece._replace(level=effect)
    return piece._replace(rate_per_s=piece.rate_per_s * effects.get("slowed_to", 1))


class SimulatedSeries(NamedTuple):
    """A series of an exporter, without the labels of its target."""

    name: str
    labels: str
    """As an exposition has them, without braces."""
    curve: Curve


@cache
def data(name: str) -> Mapping[str, Any]:
    """Return the content of a file of this folder."""
    file = Path(__file__).with_name(f"{name}.yaml")
    content: Mapping[str, Any] = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    return content


def labelled(labels: Sequence[tuple[str, str]]) -> str:
    """Return labels as an exposition has them, without braces."""
    return ",".join(f'{name}="{value}"' for name, value in labels)
