"""Which subnet everything stands in. A lane of the picture is one subnet, or several that are used alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from trainyard.platform_table import platform_of
from trainyard.render.cloudformation.network import has_load_balancer, makes_control_plane_subnet
from trainyard.render.diagram.canvas import Box
from trainyard.render.diagram.cards import Card
from trainyard.render.diagram.queue_box import QueueBox
from trainyard.render.diagram.words import few
from trainyard.spec.cluster import Spec
from trainyard.spec.queue import Queue

Key = tuple[str, tuple[str, ...]]

# In the order in which they stand beside each other. The head node is the last, so that its arrows get out: its place
# is that of the system nodes of EKS.
ROLES = ("way out", "load balancer", "monitoring", "clusters", "login", "head")
_PADDING = 12
_TITLE = 28
_GAP = 12
_LABEL_GAP = 66
"""Room for an arrow with its label above it."""
_ARROW_GAP = 32
"""Room for an arrow with its label beside it."""
_MOST_ALONE = 280


class Lane(NamedTuple):
    """A subnet and what stands in it."""

    look: str
    """public or private."""
    name: str
    about: str
    """Zones or ids."""
    cards: dict[str, Card]
    """What stands in it beside queues, by role."""
    queues: list[Queue]


def lanes(spec: Spec) -> tuple[Lane, ...]:
    """Return the lanes of a spec: public ones first, then the private one of most nodes, then the others."""
    keys = dict.fromkeys((*_always_there(spec), *(key for key, _, _ in _cards(spec)), *_queue_keys(spec)))
    by_key = {key: _lane(spec, key) for key in sorted(keys, key=_order)}
    for key, role, card in _cards(spec):
        by_key[key].cards[role] = card
    for queue in spec.queues:
        by_key[_queue_key(spec, queue)].queues.append(queue)
    return tuple(by_key.values())


def network_is_made(spec: Spec) -> bool:
    """Return whether the network is neither one that exists nor that of an environment."""
    return spec.network.existing is None and spec.environment is None


def _order(key: Key) -> tuple[bool, bool, bool]:
    choice, zones = key
    return choice != "public", choice != "private", bool(zones)


def _always_there(spec: Spec) -> Iterator[Key]:
    """Yield the subnet that a network which is made here has, whoever uses it."""
    if network_is_made(spec):
        yield "private", ()


def _cards(spec: Spec) -> Iterator[tuple[Key, str, Card]]:
    outside = "private" if spec.network.internet == "none" else "public"
    if network_is_made(spec):
        yield (outside, ()), "way out", _way_out(spec)
    if spec.monitoring.mode == "self-hosting":
        if has_load_balancer(spec):
            yield ("public" if spec.network.existing else outside, ()), "load balancer", _load_balancer(spec)
        card = Card("chart", "watch", "Monitoring", ("instance with Prometheus and Grafana",))
        yield ("private", ()), "monitoring", card
    yield from (((subnet, ()), role, card) for subnet, role, card in platform_of(spec).picture().node_cards(spec))


def _way_out(spec: Spec) -> Card:
    """Return the card of what private subnets reach AWS and the internet through."""
    if spec.network.internet == "none":
        return Card("gateway", "network", "VPC endpoints", ("the only way to AWS: no internet",))
    return Card("gateway", "network", "NAT gateway", ("way out of private subnets",))


def _load_balancer(spec: Spec) -> Card:
    """Return the card of the load balancer in front of a self-hosted Grafana."""
    where = "for Grafana" if spec.network.internet == "nat" else "for Grafana, inside the network"
    return Card("balancer", "network", "Load balancer", (where,))


def _queue_keys(spec: Spec) -> Iterator[Key]:
    yield from (_queue_key(spec, queue) for queue in spec.queues)


def _queue_key(spec: Spec, queue: Queue) -> Key:
    own = queue.zones if queue.subnet == "private" and spec.network.existing is None else ()
    return queue.subnet, () if own == (spec.network.availability_zone,) else own


def _lane(spec: Spec, key: Key) -> Lane:
    choice, zones = key
    if choice not in ("public", "private"):
        return Lane("private", "Subnet", choice, {}, [])
    kind = "Public" if choice == "public" else "Private"
    places = zones or _places(spec, choice)
    name = f"{kind} subnet" if len(places) < 2 else f"{kind} subnets"
    unknown = "zone chosen at deployment" if spec.environment is None else "of the environment"
    second = ", and a second one for the control plane" if not zones and _has_second(spec, choice) else ""
    return Lane(choice, name, (few(places, 3) or unknown) + second, {}, [])


def _has_second(spec: Spec, choice: str) -> bool:
    return choice == "private" and platform_of(spec).control_plane_spans_zones and makes_control_plane_subnet(spec)


def _places(spec: Spec, choice: str) -> tuple[str, ...]:
    """Return the ids of the subnets where they exist, otherwise their zones."""
    network = spec.network
    if network.existing is not None:
        return network.existing.public_subnets if choice == "public" else network.existing.private_subnets
    second = choice == "public" and has_load_balancer(spec)
    zones = (network.availability_zone, network.secondary_availability_zone if second else None)
    return tuple(zone for zone in zones if zone is not None)


class PlacedLane(NamedTuple):
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
