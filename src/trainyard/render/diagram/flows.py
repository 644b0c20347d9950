"""What flows between the things in the picture, as arrows with labels that cross nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot
from typing import NamedTuple
from xml.etree import ElementTree as ET

from trainyard.platform_table import platform_of
from trainyard.render.diagram.canvas import NOTE, Box, Point, line, path_data, text
from trainyard.render.diagram.cards import open_ways
from trainyard.render.diagram.layout import Layout
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre

_LEAST_X = 330
"""Arrows from above keep right of it where they can, so that the names of areas have room."""
_OUTER_LANE = 986
"""Where arrows from people to services go down."""
_ROW = 2
"""Queues beside each other."""
_TIP = 7
"""Length of the tip of an arrow."""


def flows(spec: Spec, layout: Layout) -> Iterator[Flow]:
    """Yield every flow whose way is free. In a crowded picture, it is better to miss one than to cross something."""
    things = tuple(layout.things())
    yield from (flow for flow in _possible_flows(spec, layout) if not any(flow.runs_through(box) for box in things))


def _possible_flows(spec: Spec, layout: Layout) -> Iterator[Flow]:
    yield from _of_people(spec, layout)
    yield from _to_services(spec, layout)
    yield from _of_head_services(layout)
    yield from _between_services(layout)
    yield from _of_nodes_services(layout)
    yield from _to_head(layout)
    if platform_of(spec).has_head_node:
        yield from _of_head(layout)
    yield from _of_files(spec, layout)


def _of_people(spec: Spec, layout: Layout) -> Iterator[Flow]:
    if layout.lanes[0].lane.look != "public":
        return
    for role, words in open_ways(spec).items():
        if role in layout.lanes[0].cards:
            _, box = layout.lanes[0].cards[role]
            x = min(max(box.center, _LEAST_X), box.right - 16)
            bottom = layout.people.box.bottom
            yield Flow(((x, bottom), (x, box.y)), words, (x + 7, bottom + 21))


def _to_services(spec: Spec, layout: Layout) -> Iterator[Flow]:
    start = (layout.people.box.right, layout.people.box.middle)
    words = "HTTPS"
    way: tuple[Point, ...] = (start, (_OUTER_LANE, start[1]))
    control_plane = ["control plane"] if platform_of(spec).picture().has_public_control_plane(spec) else []
    used = [*control_plane, "session manager", "batch", "grafana"]
    for role in layout.services:  # from top to bottom
        if role in used:
            box = layout.services[role].box
            corner = (_OUTER_LANE, box.middle)
            yield Flow((*way, corner, (box.right, box.middle)), words, (start[0] + 12, start[1] - 6))
            way, words = (corner,), ""


def _of_head_services(layout: Layout) -> Iterator[Flow]:
    if (head_place := layout.role("head")) is None:
        return
    _, head = head_place
    first = {"control plane": "pods"} if "control plane" in layout.services else {"session manager": "shell"}
    for position, (role, words) in enumerate((first | {"prometheus": "metrics"}).items()):
        if role not in layout.services:
            continue
        box = layout.services[role].box
        y = head.y + 18 + 20 * position
        turn = layout.vpc.right + (8 if (box.middle < y) == (position == 0) else 16)
        points: tuple[Point, ...] = ((head.right, y), (turn, y), (turn, box.middle), (box.x, box.middle))
        away = role == "prometheus"
        yield Flow(points if away else points[::-1], words, (layout.vpc.right + 24, box.middle - 5), room=70)


def _between_services(layout: Layout) -> Iterator[Flow]:
    ways = (("grafana", "prometheus", "asks"), ("prometheus", "alerts", "alerts"))
    for above, below, words in (*ways, ("control plane", "logs of the control plane", "logs")):
        if above in layout.services and below in layout.services:
            upper, lower = layout.services[above].box, layout.services[below].box
            x = upper.center
            yield Flow(((x, upper.bottom), (x, lower.y)), words, (x + 8, (upper.bottom + lower.y) / 2 + 4))


def _of_nodes_services(layout: Layout) -> Iterator[Flow]:
    flows = {"batch": "jobs", "images": "images", "cloudwatch": "logs", "assets": "software"}
    flows |= {} if "prometheus" in layout.services else {"alerts": "alerts"}
    for role, words in (flows | ({"session manager": "shell"} if "control plane" in layout.services else {})).items():
        if role in layout.services:
            box = layout.services[role].box
            out = ((layout.vpc.right, box.middle), (box.x, box.middle))
            points = out if role in ("cloudwatch", "alerts") else out[::-1]
            yield Flow(points, words, (layout.vpc.right + 10, box.middle - 5))


def _to_head(layout: Layout) -> Iterator[Flow]:
    head_place = layout.role("head")
    if head_place is None:
        return
    head_lane, head = head_place
    for role, words in {"login": "Slurm", "monitoring": "metrics"}.items():
        if (other := layout.role(role)) is None:
            continue
        lane, box = other
        points: tuple[Point, ...] = ()
        if lane == head_lane and head.x - box.right > 20 and head.x - box.right < 100:
            points, place = ((box.right, box.middle), (head.x, box.middle)), (box.right + 8, box.middle - 6)
        elif lane + 1 == head_lane and (x := _shared_x(box, head)) is not None:
            points, place = ((x, box.bottom), (x, head.y)), (x + 7, head.y - 10)
        elif head_lane + 1 == lane and (x := _shared_x(head, box)) is not None:
            points, place = ((x, box.y), (x, head.bottom)), (x + 7, box.y - 10)
        if points:  # the head node sends metrics, and nobody comes to fetch them
            yield Flow(points[::-1] if role == "monitoring" else points, words, place, room=56)
    balancer, monitoring = layout.role("load balancer"), layout.role("monitoring")
    if balancer and monitoring and (x := _shared_x(balancer[1], monitoring[1])) is not None:
        yield Flow(((x, balancer[1].bottom), (x, monitoring[1].y)), "", (0, 0))


def _shared_x(upper: Box, lower: Box) -> float | None:
    """Return where a straight way down leads from one box into another."""
    left, right = max(upper.x, lower.x) + 12, min(upper.right, lower.right) - 12
    if left > right:
        return None
    return min(max(upper.center, left, _LEAST_X), right)


def _of_head(layout: Layout) -> Iterator[Flow]:
    head_place = layout.role("head")
    if head_place is None:
        return
    at, head = head_place
    x = head.right - 60
    first = next((lane for lane in layout.lanes[at : at + 2] if lane.queues), None)
    if first is None:
        return
    top = first.queues[0][1].y
    left = first.queues[0][1].right - 24
    if len(first.queues) > _ROW and left < x - 60:  # those of further rows have no arrow of their own
        words, place = "Slurm, for every queue", (x - 8, min(head.bottom + 19, top - 16) - 5)
        yield Flow(((x, head.bottom), (x, top)), words, place, room=150, anchor="end")
    else:
        yield Flow(((x, head.bottom), (x, top)), "Slurm", (x + 8, top - 11), room=52)
    if left < x - 60:  # there are two columns: a branch to the other one, above the name of the subnet
        branch = min(head.bottom + 19, top - 16)
        yield Flow(((x, branch), (left, branch), (left, top)))


def _of_files(spec: Spec, layout: Layout) -> Iterator[Flow]:
    if not (spec.file_systems or platform_of(spec).has_head_node or spec.is_environment):
        return
    bottom = layout.lanes[-1].box.bottom
    x = layout.files.x + 60
    words = "every node mounts them"
    yield Flow(((x, bottom), (x, layout.files.y)), words, (x + 9, layout.files.y - 12), both=True, room=200)
    linked = [file_system.settings for file_system in spec.file_systems if isinstance(file_system.settings, Lustre)]
    settings = (lustre for lustre in linked if lustre.links)
    buckets = ((placed.box, bucket.box) for placed, bucket in layout.file_systems if bucket is not None)
    for lustre, (box, bucket) in zip(settings, buckets, strict=True):
        yield _exchange(lustre, box, bucket)


def _exchange(lustre: Lustre, box: Box, bucket: Box) -> Flow:
    ways = {
        "import": any(link.auto_import for link in lustre.links),
        "export": any(link.auto_export for link in lustre.links),
    }
    words = ", ".join(way for way, on in ways.items() if on)
    out, back = (box.right, box.middle), (bucket.x, box.middle)
    points = (back, out) if not ways["export"] else (out, back)
    return Flow(points, words or "on request", (bucket.x - 94, box.middle - 6), both=all(ways.values()))


class Flow(NamedTuple):
    """An arrow and its label."""

    points: tuple[Point, ...]
    label: str = ""
    label_at: Point = (0, 0)
    both: bool = False
    room: float = 88
    """Width of the label."""
    anchor: str = "start"

    def crossing(self, y: float) -> Iterator[float]:
        """Yield where it crosses a height."""
        for (x, start), (_, end) in pairwise(self.points):
            if min(start, end) < y < max(start, end):
                yield x

    def runs_through(self, box: Box) -> bool:
        """Return whether it runs through a box, not only up to its edge."""
        return any(
            min(x, to_x) < box.right - 1
            and max(x, to_x) > box.x + 1
            and min(y, to_y) < box.bottom - 1
            and max(y, to_y) > box.y + 1
            for (x, y), (to_x, to_y) in pairwise(self.points)
        )


def arrow(parent: ET.Element, points: Sequence[Point], *, both: bool = False) -> None:
    """Draw a line through points with a tip at its end, or at both ends."""
    reached = (*points[:-1], _short_of(points[-2], points[-1]))
    if both:
        reached = (_short_of(points[1], points[0]), *reached[1:])
        _draw_tip(parent, points[1], points[0])
    line(parent, reached, "ty-flow")
    _draw_tip(parent, points[-2], points[-1])


def label(parent: ET.Element, place: Point, words: str, width: float, anchor: str = "start") -> None:
    """Write what an arrow stands for."""
    text(parent, place, words, NOTE, width, look="ty-label", anchor=anchor)


def _short_of(start: Point, end: Point) -> Point:
    """Return a point just before the end, so that the line does not show beside the tip."""
    right, down = _direction(start, end)
    return end[0] - right * (_TIP - 1), end[1] - down * (_TIP - 1)


def _draw_tip(parent: ET.Element, start: Point, end: Point) -> None:
    right, down = _direction(start, end)
    back = end[0] - right * _TIP, end[1] - down * _TIP
    aside = (-down * _TIP / 2, right * _TIP / 2)
    corners = (end, (back[0] + aside[0], back[1] + aside[1]), (back[0] - aside[0], back[1] - aside[1]))
    ET.SubElement(parent, "path", {"class": "ty-tip", "d": f"{path_data(corners)}Z"})


def _direction(start: Point, end: Point) -> Point:
    length = hypot(end[0] - start[0], end[1] - start[1])
    return (end[0] - start[0]) / length, (end[1] - start[1]) / length
