"""Where everything stands within one subnet: what people and the scheduler use in a row, the queues below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from trainyard.render.diagram.canvas import Box
from trainyard.render.diagram.card import Card
from trainyard.render.diagram.lanes import ROLES, Lane
from trainyard.render.diagram.queue_box import QueueBox
from trainyard.spec.cluster import Spec

_PADDING = 12
_TITLE = 28
_GAP = 12
_LABEL_GAP = 66
"""Room for an arrow with its label above it."""
_ARROW_GAP = 32
"""Room for an arrow with its label beside it."""
_MOST_ALONE = 280


@dataclass(frozen=True, slots=True)
class PlacedLane:
    """A subnet with the places of what stands in it."""

    lane: Lane
    box: Box
    cards: dict[str, tuple[Card, Box]]
    """By role."""
    queues: tuple[tuple[QueueBox, Box], ...]


def placed_lane(spec: Spec, lane: Lane, place: Box) -> PlacedLane:
    """Return a lane with everything placed; of the place only the height is still to be found."""
    inner = Box(place.x + _PADDING, place.y + _TITLE, place.width - 2 * _PADDING, 0)
    cards = _row(lane, inner)
    bottom = max((box.bottom for _, box in cards.values()), default=inner.y)
    gap = (_ARROW_GAP if "head" in cards else _GAP) if cards else 0
    queues = _columns(spec, lane, Box(inner.x, bottom + gap, inner.width, 0))
    bottom = max((box.bottom for _, box in queues), default=bottom)
    return PlacedLane(lane, Box(place.x, place.y, place.width, bottom + _PADDING - place.y), cards, queues)


def _row(lane: Lane, place: Box) -> dict[str, tuple[Card, Box]]:
    roles = [role for role in ROLES if role in lane.cards]
    gaps = _gaps(roles)
    room = (place.width - sum(gaps)) / max(len(roles), 1)
    width = min(room, _MOST_ALONE) if len(roles) == 1 and roles != ["head"] else room
    height = max((lane.cards[role].height(width) for role in roles), default=0)
    placed, x = {}, place.x
    for role, gap in zip(roles, (*gaps, 0), strict=False):
        placed[role] = (lane.cards[role], Box(x, place.y, width, height))
        x += width + gap
    return placed


def _gaps(roles: Sequence[str]) -> list[float]:
    """Return the gaps between cards, wider before the head node where something talks to it."""
    return [_LABEL_GAP if after == "head" and before in ("login", "monitoring") else _GAP
            for before, after in pairwise(roles)]  # fmt: skip


def _columns(spec: Spec, lane: Lane, place: Box) -> tuple[tuple[QueueBox, Box], ...]:
    """Return the queues in one column or in two, each in that which is shorter so far."""
    count = min(len(lane.queues), 2)
    if not count:
        return ()
    width = (place.width - _GAP * (count - 1)) / count
    bottoms = [place.y] * count
    placed = []
    for queue in lane.queues:
        column = bottoms.index(min(bottoms))
        queue_box = QueueBox(spec, queue, width)
        box = Box(place.x + column * (width + _GAP), bottoms[column], width, queue_box.height)
        bottoms[column] = box.bottom + _GAP
        placed.append((queue_box, box))
    return tuple(placed)
