"""Nodes as small pictures: their accelerators, and the fabric between them. Dashed: nodes that start when needed."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from trainyard.render.diagram.canvas import NOTE, Box, line, rectangle, text
from trainyard.render.diagram.node_facts import NodeFacts

_NODE = (58, 40)
_GAP = 10
_FABRIC = 16
"""Room below the nodes for the fabric."""
_REST = 66
"""Room beside the nodes for how many more there are."""


def glyphs_height(facts: NodeFacts) -> float:
    """Return how high the pictures of nodes are."""
    return _NODE[1] + (_FABRIC if facts.efa else 0)


def draw_nodes(parent: ET.Element, box: Box, facts: NodeFacts) -> None:
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
