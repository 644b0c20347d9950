"""The picture of a cluster: architecture.svg. The same spec gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from trainyard.counts import count_text
from trainyard.platform_table import platform_of
from trainyard.render.diagram.canvas import AREA, HEADING, LINE, NOTE, Box, number, rectangle, text
from trainyard.render.diagram.flows import Flow, arrow, flows, label
from trainyard.render.diagram.layout import WIDTH, Layout, layout
from trainyard.render.diagram.text_width import printable
from trainyard.render.diagram.words import node_count
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

_LEFT_OUT = "Left out: what AWS adds by itself, such as roles, DNS, DynamoDB and Lambda functions."


def architecture_svg(spec: Spec) -> str:
    """Return the picture of a spec as an SVG document."""
    places = layout(spec)
    arrows = tuple(flows(spec, places))
    root = _root(spec, places.height)
    rectangle(root, Box(0, 0, WIDTH, places.height), "ty-paper")
    _draw_heading(root, spec)
    _draw_areas(root, spec, places, arrows)
    for flow in arrows:
        arrow(root, flow.points, both=flow.both)
    _draw_things(root, places)
    for flow in arrows:
        if flow.label:
            label(root, flow.label_at, flow.label, flow.room, flow.anchor)
    _draw_foot(root, spec, places)
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode") + "\n"


def style() -> str:
    """Return the style sheet of every picture."""
    return Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def _root(spec: Spec, height: float) -> ET.Element:
    size = {"viewBox": f"0 0 {WIDTH} {number(height)}", "width": str(WIDTH), "height": number(height)}
    named = {"class": "ty", "role": "img", "aria-labelledby": "ty-title ty-about"}
    root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", **size, **named})
    ET.SubElement(root, "title", {"id": "ty-title"}).text = f"Architecture of {spec.name}"
    ET.SubElement(root, "desc", {"id": "ty-about"}).text = printable(_about(spec))
    ET.SubElement(root, "style").text = style()
    return root


def _about(spec: Spec) -> str:
    mounts = ", ".join(file_system.mount for file_system in spec.file_systems)
    home = platform_of(spec).has_head_node
    shared = f"File systems: {mounts or ('/home' if home else 'none')}"
    return f"{_subtitle(spec)}. {_nodes(spec)}{shared}. Monitoring: {spec.monitoring.mode}."


def _nodes(spec: Spec) -> str:
    if spec.is_environment:
        return ""
    queues = "; ".join(f"{queue.name}: {', '.join(_kinds(spec, queue))}" for queue in spec.queues)
    first = platform_of(spec).picture().nodes_beside_queues(spec)
    return f"{first}Queues: {queues}. "


def _kinds(spec: Spec, queue: Queue) -> list[str]:
    return [f"{node_count(group)} × {' or '.join(group.instance_types)}" for group in spec.groups_in(queue)]


def _subtitle(spec: Spec) -> str:
    title = platform_of(spec).picture().title(spec)
    if spec.is_environment:
        return title
    image = "" if spec.image.ami is None else f", image {spec.image.ami}"
    groups = list(spec.node_groups())
    fixed = all(group.min_nodes == group.max_nodes for group in groups)
    most = count_text(sum(group.max_nodes for group in groups), "compute node")
    nodes = f"{count_text(len(spec.queues), 'queue')}, {'' if fixed else 'up to '}{most}"
    return f"{title}{image}: {nodes}"


def _draw_heading(root: ET.Element, spec: Spec) -> None:
    text(root, (32, 38), spec.name, HEADING, WIDTH - 64)
    text(root, (32, 58), _subtitle(spec), LINE, WIDTH - 64, look="ty-muted")


def _draw_areas(root: ET.Element, spec: Spec, places: Layout, arrows: Sequence[Flow]) -> None:
    _draw_area(root, places.region, "region", f"Region {spec.region}", arrows)
    _draw_area(root, places.vpc, "vpc", _vpc_name(spec), arrows)
    for placed in places.lanes:
        _draw_area(root, placed.box, placed.lane.look, f"{placed.lane.name} · {placed.lane.about}", arrows)
    _draw_area(root, places.files, "files", "Shared file systems", arrows)


def _vpc_name(spec: Spec) -> str:
    if spec.environment is not None:
        return f"VPC of {spec.environment}"
    if spec.network.existing is not None:
        return f"VPC {spec.network.existing.vpc}"
    return "VPC of the environment" if spec.is_environment else "VPC of the cluster's own"


def _draw_area(root: ET.Element, box: Box, look: str, name: str, arrows: Sequence[Flow]) -> None:
    """Draw an area with its name, which ends where an arrow comes down."""
    rectangle(root, box, f"ty-{look}", radius=8)
    base = box.y + 20
    crossed = [x for flow in arrows for x in flow.crossing(base - 4) if box.x < x < box.right]
    room = min(crossed, default=box.right) - 10 - box.x - 12
    on = "ty-muted" if look == "region" else f"ty-on-{look}"
    text(root, (box.x + 12, base), name, AREA, room, look=on)


def _draw_things(root: ET.Element, places: Layout) -> None:
    places.people.card.draw(root, places.people.box)
    for placed in places.lanes:
        for card, box in placed.cards.values():
            card.draw(root, box)
        for queue, box in placed.queues:
            queue.draw(root, box)
    buckets = (bucket for _, bucket in places.file_systems if bucket is not None)
    files = (file_system for file_system, _ in places.file_systems)
    for card, box in (*files, *buckets, *places.services.values()):
        card.draw(root, box)


def _draw_foot(root: ET.Element, spec: Spec, places: Layout) -> None:
    drawn = any(queue.draws_nodes for lane in places.lanes for queue, _ in lane.queues)
    dynamic = drawn and any(group.min_nodes < group.max_nodes for group in spec.node_groups())
    later = "start when jobs need them" if platform_of(spec).starts_nodes_for_jobs else "a node group may grow by"
    dashed = f" Dashed: nodes that {later}." if dynamic else ""
    text(root, (32, places.height - 12), _LEFT_OUT + dashed, NOTE, WIDTH - 64, look="ty-muted")
