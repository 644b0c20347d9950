"""The box of a queue: its name, and each kind of nodes in it with small pictures of the nodes.

A picture shows accelerators, and the fabric between nodes. Dashed: nodes that start when needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from trainyard.catalog.instance_type import InstanceType
from trainyard.counts import count_text
from trainyard.launch.instance import Instance
from trainyard.launch.launch import Launch, compute_launches, jobs_take_whole_nodes
from trainyard.launch.setup import setup_of
from trainyard.platform_table import platform_of
from trainyard.render.diagram.canvas import LINE, NAME, NOTE, Box, group, line, rectangle, text
from trainyard.render.diagram.text_width import text_width, wrap
from trainyard.render.diagram.words import capacity_words, node_count
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

_PADDING = 12
_TITLE = 32
_LEADING = 15
_WIDE = 420
"""From this width on, nodes are drawn beside what is said about them."""
_FEW = 4
"""Up to so many kinds of nodes in a cluster, there is room for pictures of nodes below what is said about them."""
_NODE = (58, 40)
_GAP = 10
_FABRIC = 16
"""Room below the nodes for the fabric."""
_REST = 66
"""Room beside the nodes for how many more there are."""


class QueueBox:
    """A queue in a column of some width."""

    def __init__(self, spec: Spec, queue: Queue, width: float) -> None:
        """Take what there is to say about it."""
        self._name = f"{'Node group' if platform_of(spec).has_kubernetes else 'Queue'} {queue.name}"
        self._about = ", ".join(_about(spec, queue))
        self._kinds = [
            node_facts(spec, launch, named=queue.compute_resources is not None)
            for launch in compute_launches(spec, queue)
        ]
        self._width = width
        self.draws_nodes = width >= _WIDE or sum(1 for _ in spec.node_groups()) <= _FEW

    @property
    def height(self) -> float:
        """How high the box has to be."""
        between = 10 * (len(self._kinds) - 1)
        return self._title_height + sum(self._kind_height(kind) for kind in self._kinds) + between + _PADDING

    def draw(self, parent: ET.Element, box: Box) -> None:
        """Draw it."""
        description = "; ".join(", ".join((kind.title, *kind.lines)) for kind in self._kinds)
        element = group(parent, f"{self._name}: {description}")
        rectangle(element, box, "ty-queue", radius=6)
        self._draw_title(element, box)
        y = box.y + self._title_height
        for position, kind in enumerate(self._kinds):
            if position:
                line(element, ((box.x + _PADDING, y - 5), (box.right - _PADDING, y - 5)), "ty-rule")
            self._draw_kind(element, kind, Box(box.x + _PADDING, y, self._room, self._kind_height(kind)))
            y += self._kind_height(kind) + 10

    @property
    def _room(self) -> float:
        return self._width - 2 * _PADDING

    @property
    def _text_room(self) -> float:
        return self._room if not self.draws_nodes or self._width < _WIDE else 232

    @property
    def _about_below(self) -> tuple[str, ...]:
        """Return the lines about the queue that stand below its name, none where they fit beside it."""
        left = self._room - text_width(self._name, NAME) - 16
        return () if text_width(self._about, NOTE) <= left else wrap(self._about, NOTE, self._room)

    @property
    def _title_height(self) -> float:
        return _TITLE + 14 * len(self._about_below)

    def _draw_title(self, element: ET.Element, box: Box) -> None:
        text(element, (box.x + _PADDING, box.y + 21), self._name, NAME, self._room)
        for position, shown in enumerate(self._about_below, start=1):
            place = (box.x + _PADDING, box.y + 22 + 14 * position)
            text(element, place, shown, NOTE, self._room, look="ty-muted", whole=self._about)
        if self._about and not self._about_below:
            place = (box.right - _PADDING, box.y + 21)
            text(element, place, self._about, NOTE, self._room, look="ty-muted", anchor="end")

    def _kind_height(self, kind: NodeFacts) -> float:
        words = _LEADING * (1 + len(self._lines(kind))) + 4
        if not self.draws_nodes:
            return words
        nodes = _glyphs_height(kind) + 6
        return max(words, nodes) if self._width >= _WIDE else words + nodes

    def _lines(self, kind: NodeFacts) -> list[tuple[str, str]]:
        return [(shown, line) for line in kind.lines for shown in wrap(line, LINE, self._text_room)]

    def _draw_kind(self, element: ET.Element, kind: NodeFacts, box: Box) -> None:
        text(element, (box.x, box.y + 14), kind.title, NAME, self._text_room)
        lines = self._lines(kind)
        for position, (shown, whole) in enumerate(lines, start=1):
            place = (box.x, box.y + 15 + _LEADING * position)
            text(element, place, shown, LINE, self._text_room, look="ty-muted", whole=whole)
        if not self.draws_nodes:
            return
        if self._width >= _WIDE:
            left = box.x + self._text_room + 16
            _draw_nodes(element, Box(left, box.y + 4, box.right - left, _glyphs_height(kind)), kind)
        else:
            _draw_nodes(
                element, Box(box.x, box.y + _LEADING * (1 + len(lines)) + 10, box.width, _glyphs_height(kind)), kind
            )


def _glyphs_height(facts: NodeFacts) -> float:
    """Return how high the pictures of nodes are."""
    return _NODE[1] + (_FABRIC if facts.efa else 0)


def _draw_nodes(parent: ET.Element, box: Box, facts: NodeFacts) -> None:
    """Draw as many nodes as there is room for, and say how many more there are."""
    width, height = _NODE
    room = box.width if facts.most * (width + _GAP) - _GAP <= box.width else box.width - _REST
    shown = min(facts.most, max(1, int((room + _GAP) // (width + _GAP))))
    for position in range(shown):
        node = Box(box.x + position * (width + _GAP), box.y, width, height)
        _draw_node(parent, node, facts.accelerators, runs=position < facts.always)
    end = box.x + shown * (width + _GAP) - _GAP
    if shown < facts.most:
        place = (end + 8, box.y + height / 2 + 4)
        text(parent, place, f"+ {facts.most - shown:,} more", NOTE, _REST - 8 + _GAP, look="ty-muted")
    if facts.efa:
        _draw_fabric(parent, Box(box.x, box.y + height, end - box.x, _FABRIC), shown)


def _draw_node(parent: ET.Element, box: Box, accelerators: int, *, runs: bool) -> None:
    rectangle(parent, box, "ty-node" if runs else "ty-node-later", radius=4)
    if not accelerators:
        for y in (box.y + 14, box.bottom - 14):
            line(parent, ((box.x + 12, y), (box.right - 12, y)), "ty-board" if runs else "ty-board-later")
        return
    columns, rows = _grid(accelerators)
    width, height = (box.width - 10) / columns, (box.height - 10) / rows
    look = "ty-chip" if runs else "ty-chip-later"
    for chip in range(min(accelerators, columns * rows)):
        x, y = box.x + 5 + chip % columns * width, box.y + 5 + chip // columns * height
        rectangle(parent, Box(x + 1.5, y + 1.5, width - 3, height - 3), look, radius=1.5)


def _grid(accelerators: int) -> tuple[int, int]:
    """Return columns and rows for the accelerators of a node: 16 of them as 8 and 8, 8 as 4 and 4, 4 as 4."""
    if accelerators <= 4:
        return accelerators, 1
    return min((accelerators + 1) // 2, 8), 2


def _draw_fabric(parent: ET.Element, box: Box, nodes: int) -> None:
    width, _ = _NODE
    for position in range(nodes):
        for port in (-12, 0, 12):
            x = box.x + position * (width + _GAP) + width / 2 + port
            line(parent, ((x, box.y), (x, box.y + 10)), "ty-fabric-port")
    line(parent, ((box.x, box.y + 11), (box.right, box.y + 11)), "ty-fabric")


def _about(spec: Spec, queue: Queue) -> list[str]:
    setup = setup_of(spec, queue)
    if platform_of(spec).has_kubernetes:
        return []
    whole = jobs_take_whole_nodes(spec, queue)
    phrases = {
        f"installs {setup} software": setup != "none",
        "containers": spec.software.containers,
        "whole nodes for a job": whole,
        f"image {queue.ami}": queue.ami is not None,
    }
    return [words for words, holds in phrases.items() if holds]


class NodeFacts(NamedTuple):
    """One kind of nodes, as it is drawn."""

    title: str
    lines: tuple[str, ...]
    always: int
    """Nodes that run before anybody asks for more."""
    most: int
    """Nodes at most."""
    accelerators: int
    """Accelerators of one node, 0 where there are none or nobody knows."""
    efa: bool


def node_facts(spec: Spec, launch: Launch, *, named: bool) -> NodeFacts:
    """Return the facts of one kind of nodes, with its name where the queue has several."""
    chips = max(instance.accelerators for instance in launch.instances)
    lines = ([launch.nodes.name] if named else []) + list(_lines(spec, launch))
    title = f"{node_count(launch.nodes)} × {' or '.join(launch.instance_types)}"
    return NodeFacts(title, tuple(lines), launch.first_nodes, launch.max_nodes, chips, launch.instance.efa)


def _lines(spec: Spec, launch: Launch) -> Iterator[str]:
    """Yield what holds for every instance type that a node may have."""
    if accelerators := _alternatives(_accelerators, launch.instances):
        yield accelerators
    if launch.instance.efa:
        yield _alternatives(_fabric, launch.instances) or "EFA"
    if launch.first_nodes != launch.min_nodes:
        yield f"{launch.first_nodes:,} at first"
    yield capacity_words(launch.capacity)
    if drives := _alternatives(_drives, launch.instances):
        yield f"{spec.scratch.mount if platform_of(spec).mounts_scratch else 'containers'} on {drives}"


def _alternatives(words: Callable[[Instance, InstanceType], str], instances: Sequence[Instance]) -> str:
    """Return what there is to say about each of several types; nothing where one of them is unknown."""
    texts = dict.fromkeys(words(instance, instance.facts) for instance in instances if instance.facts is not None)
    if any(instance.facts is None for instance in instances) or not any(texts):
        return ""
    return " or ".join(text or "none" for text in texts)


def _accelerators(_: Instance, facts: InstanceType) -> str:
    chips = facts.accelerators
    memory = facts.accelerator_memory_mib
    each = "" if memory is None else f", {memory / 1024:,.0f} GiB each"
    return "" if chips is None else f"{chips.count} × {chips.model}{each}"


def _fabric(instance: Instance, facts: InstanceType) -> str:
    if instance.plan is None or not facts.has_efa:
        return "EFA"
    cards = instance.plan.efa_count
    rate = "" if facts.efa_gbit_s is None else f", {facts.efa_gbit_s:,} Gbit/s"
    return f"EFA on {count_text(cards, 'card')}{rate}"


def _drives(_: Instance, facts: InstanceType) -> str:
    if facts.nvme:
        return " and ".join(f"{disks.count} × {disks.size_gb:,} GB NVMe" for disks in facts.nvme)
    return "" if facts.nvme_total_gb is None else f"{facts.nvme_total_gb:,} GB NVMe"
