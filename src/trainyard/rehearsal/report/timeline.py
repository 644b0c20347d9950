"""The timeline: every step as a bar, and below each stack its resources, all on one axis of seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree as ET

from trainyard.counts import count_text
from trainyard.rehearsal.report.numbers import number, seconds
from trainyard.render.diagram.canvas import AREA, LINE, NOTE, Box, line, rectangle, text
from trainyard.render.markup import add, markup_text

_WIDTH = 1000
_TRACK = (280, 640)
"""Left edge and width of the bars."""
_ROW = 24
_LANE = 6
_MOST_LANES = 12
_NICE = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)


def add_timeline(parent: ET.Element, result: Mapping[str, Any]) -> None:
    """Add the timeline of a result."""
    steps, stacks = result.get("steps") or (), result.get("stacks") or ()
    if not steps and not stacks:
        add(parent, "p", "Nothing was done.", class_="quiet")
        return
    scale = Scale(_end(result))
    lanes = [_lanes(stack.get("resources") or ()) for stack in stacks]
    height = 40 + _ROW * len(steps) + (34 if stacks else 0) + sum(_stack_height(lane) for lane in lanes) + 8
    root = add(
        add(parent, "div", class_="chart"), "svg", class_="timeline", viewBox=f"0 0 {_WIDTH} {height}", role="img"
    )
    add(root, "title", "Timeline of the rehearsal")
    _draw_axis(root, scale, height)
    y = 34.0
    for step in steps:
        _draw_step(root, scale, step, y)
        y += _ROW
    if stacks:
        text(root, (0, y + 24), "Stacks and their resources", AREA, _TRACK[0])
        y += 34
    for stack, of_stack in zip(stacks, lanes, strict=True):
        _draw_stack(root, scale, stack, of_stack, y)
        y += _stack_height(of_stack)


class Scale:
    """Where a time stands on the axis."""

    def __init__(self, end_s: float) -> None:
        """Take the end of it all, in seconds."""
        self.end_s = max(end_s, 0.1)

    def x(self, at_s: float) -> float:
        """Return the place of a time."""
        return _TRACK[0] + _TRACK[1] * min(max(at_s / self.end_s, 0), 1)

    def bar(self, resource: Mapping[str, Any], y: float, height: float) -> Box:
        """Return the bar of something that began and took its time: never too thin to be seen."""
        start = self.x(number(resource.get("started_s")))
        end = self.x(number(resource.get("started_s")) + number(resource.get("seconds")))
        width = max(end - start, 3)
        return Box(min(start, _TRACK[0] + _TRACK[1] - width), y, width, height)

    def ticks(self) -> Iterator[float]:
        """Yield the times to be written: at most eight, at round seconds."""
        step = next((nice for nice in _NICE if self.end_s / nice <= 8), self.end_s / 4)
        yield from (step * position for position in range(int(self.end_s / step) + 1))


def _end(result: Mapping[str, Any]) -> float:
    resources = (resource for stack in result.get("stacks") or () for resource in stack.get("resources") or ())
    timed = (*(result.get("steps") or ()), *resources)
    ends = (number(resource.get("started_s")) + number(resource.get("seconds")) for resource in timed)
    return max((number(result.get("seconds")), *ends))


def _draw_axis(root: ET.Element, scale: Scale, height: float) -> None:
    for tick in scale.ticks():
        x = scale.x(tick)
        line(root, ((x, 22), (x, height)), "tick")
        text(root, (x, 14), f"{tick:g} s", NOTE, 60, look="axis", anchor="middle")


def _draw_step(root: ET.Element, scale: Scale, step: Mapping[str, Any], y: float) -> None:
    title = f"Undo: {step['title']}" if step["action"] == "undo" else str(step["title"])
    text(root, (0, y + 16), title, LINE, _TRACK[0] - 12, look="row")
    look = f"bar {_word(step['status'])} {_word(step['action'])}"
    bar = scale.bar(step, y + 4, _ROW - 9)
    _draw_bar(root, bar, look, f"{title}: {step['status']}, {seconds(step.get('seconds'))}")
    text(root, (_TRACK[0] + _TRACK[1] + 8, y + 16), _beside(step), NOTE, 72, look="axis")


def _beside(step: Mapping[str, Any]) -> str:
    return str(step["status"]) if step["status"] != "done" else seconds(step.get("seconds"))


def _draw_stack(
    root: ET.Element, scale: Scale, stack: Mapping[str, Any], lanes: Sequence[Sequence[Mapping[str, Any]]], y: float
) -> None:
    text(root, (0, y + 16), stack["name"], LINE, _TRACK[0] - 12, look="row")
    count = count_text(len(stack.get("resources") or ()), "resource")
    text(root, (_TRACK[0] + _TRACK[1] + 8, y + 16), count, NOTE, 72, look="axis")
    for position, lane in enumerate(lanes):
        for resource in lane:
            box = scale.bar(resource, y + 5 + position * _LANE, _LANE - 2)
            took = seconds(resource.get("seconds"))
            about = f"{resource['logical_id']}, {resource['type']}: {resource['status']}, {took}"
            _draw_bar(root, box, f"bar resource {status_look(resource['status'])}", about)


def _draw_bar(root: ET.Element, box: Box, look: str, about: str) -> None:
    holder = ET.SubElement(root, "g")
    add(holder, "title", about)
    rectangle(holder, box, look, radius=2)


def _lanes(resources: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return resources in lanes in which none overlaps; where there are too many at a time, the last takes the rest."""
    lanes: list[list[Mapping[str, Any]]] = []
    ends: list[float] = []
    for resource in sorted(resources, key=lambda resource: number(resource.get("started_s"))):
        start = number(resource.get("started_s"))
        free = next((at for at, end in enumerate(ends) if end <= start), len(ends))
        if free == len(ends) and free < _MOST_LANES:
            lanes.append([])
            ends.append(0)
        at = min(free, _MOST_LANES - 1)
        lanes[at].append(resource)
        ends[at] = start + max(number(resource.get("seconds")), 0.05)
    return lanes


def _stack_height(lanes: Sequence[object]) -> float:
    return max(_ROW, len(lanes) * _LANE + 10)


def status_look(status: object) -> str:
    """Return good, bad or other for the status of a stack or resource, in CloudFormation's words."""
    words = str(status).upper()
    if "FAILED" in words or "ROLLBACK" in words:
        return "bad"
    return "good" if words.endswith("_COMPLETE") else "other"


def _word(value: object) -> str:
    return "".join(letter for letter in markup_text(value) if letter.isalpha())
