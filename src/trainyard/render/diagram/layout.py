"""Where everything stands in the picture: from top to bottom people, subnets and file systems; services beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trainyard.platform_table import platform_of
from trainyard.render.diagram.canvas import Box
from trainyard.render.diagram.cards import Card, open_ways, people_card, services_of_head, services_of_nodes
from trainyard.render.diagram.lanes import PlacedLane, lanes, placed_lane
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs, Efs, FileSystem, Lustre, OpenZfs

WIDTH = 1000
_MARGIN = 16
_VPC = (32, 644)
"""Left edge and width of the network. Right of it there is room for what flows in and out."""
_INSET = 16
_SERVICES = (776, 176)
_GAP = 14
_LABEL_GAP = 34
_BELOW_AN_ARROW = ("prometheus", "alerts", "logs of the control plane")
"""Services that the one above them has to do with, so that an arrow and its label stand between the two."""
"""Room for an arrow with a label beside it."""


class PlacedCard(NamedTuple):
    """A card and its place."""

    card: Card
    box: Box


class Layout(NamedTuple):
    """The places of everything."""

    people: PlacedCard
    region: Box
    vpc: Box
    lanes: tuple[PlacedLane, ...]
    files: Box
    file_systems: tuple[tuple[PlacedCard, PlacedCard | None], ...]
    """Each file system, and the bucket behind it."""
    services: dict[str, PlacedCard]

    @property
    def height(self) -> float:
        """Return the height of the whole picture."""
        return self.region.bottom + 34

    def things(self) -> Iterator[Box]:
        """Yield the places of everything that no line may run through."""
        for lane in self.lanes:
            yield from (box for _, box in (*lane.cards.values(), *lane.queues))
        yield from (placed.box for pair in self.file_systems for placed in pair if placed is not None)
        yield from (service.box for service in self.services.values())

    def role(self, role: str) -> tuple[int, Box] | None:
        """Return the lane and the place of the first node with a role."""
        places = ((at, lane.cards[role][1]) for at, lane in enumerate(self.lanes) if role in lane.cards)
        return next(places, None)


def layout(spec: Spec) -> Layout:
    """Return the layout of a spec."""
    people = _below(people_card(spec), Box(_VPC[0], 72, _VPC[1], 0))
    region_top = people.box.bottom + (_LABEL_GAP if open_ways(spec) else _GAP)
    top = region_top + 30
    placed = _stacked_lanes(spec, top + 30)
    lowest = placed[-1].box.bottom
    services = _services(spec, region_top + 12, placed)
    reached = max((service.box.bottom for service in services.values()), default=top)
    cards = list(file_system_cards(spec))
    linked = any(bucket is not None for _, bucket in cards)
    files_top = max(lowest + _LABEL_GAP, reached + _GAP - 30 if linked else 0)
    files, file_systems = _file_systems(cards, Box(_VPC[0] + _INSET, files_top, _VPC[1] - 2 * _INSET, 0))
    bottom = max(files.bottom, reached - _INSET) + _INSET
    vpc = Box(_VPC[0], top, _VPC[1], bottom - top)
    region = Box(_MARGIN, region_top, 952, bottom + _INSET - region_top)
    return Layout(people, region, vpc, placed, files, file_systems, services)


def _stacked_lanes(spec: Spec, top: float) -> tuple[PlacedLane, ...]:
    placed: list[PlacedLane] = []
    for lane in lanes(spec):
        y = placed[-1].box.bottom + _GAP if placed else top
        placed.append(placed_lane(spec, lane, Box(_VPC[0] + _INSET, y, _VPC[1] - 2 * _INSET, 0)))
    return tuple(placed)


def _services(spec: Spec, top: float, placed: Sequence[PlacedLane]) -> dict[str, PlacedCard]:
    """Return the services: those of the head node beside it or above, the others below, so that no arrows cross."""
    above = _stacked(services_of_head(spec), top)
    heads = (lane.cards["head"][1].bottom for lane in placed if "head" in lane.cards)
    reached = max((*heads, *(service.box.bottom for service in above.values())), default=top)
    return above | _stacked(services_of_nodes(spec), reached + _GAP)


def _stacked(cards: Iterable[tuple[str, Card]], top: float) -> dict[str, PlacedCard]:
    placed: dict[str, PlacedCard] = {}
    for role, card in cards:
        gap = _LABEL_GAP if placed and role in _BELOW_AN_ARROW else 0
        placed[role] = _below(card, Box(_SERVICES[0], top + gap, _SERVICES[1], 0))
        top = placed[role].box.bottom + _GAP
    return placed


def _below(card: Card, place: Box) -> PlacedCard:
    return PlacedCard(card, Box(place.x, place.y, place.width, card.height(place.width)))


def _file_systems(
    cards: Sequence[tuple[Card, Card | None]], place: Box
) -> tuple[Box, tuple[tuple[PlacedCard, PlacedCard | None], ...]]:
    """Return the box of the file systems and their places. Those with a bucket stand on the right, one to a row."""
    linked = [(card, bucket) for card, bucket in cards if bucket is not None]
    others = [(card, None) for card, bucket in cards if bucket is None]
    columns = min(3, len(others) + bool(linked))
    left = columns - bool(linked)
    cells = [(column % left, column // left, pair) for column, pair in enumerate(others)] if left else []
    right = [(columns - 1, row, pair) for row, pair in enumerate(linked)]
    width = (place.width - 24 - 12 * (columns - 1)) / columns
    height = max(60, *(card.height(width) for card, _ in cards), *(b.height(_SERVICES[1]) for _, b in linked))
    placed = []
    for column, row, (card, bucket) in (*cells, *right):
        box = Box(place.x + 12 + column * (width + 12), place.y + 30 + row * (height + 12), width, height)
        behind = None if bucket is None else PlacedCard(bucket, Box(_SERVICES[0], box.y, _SERVICES[1], height))
        placed.append((PlacedCard(card, box), behind))
    bottom = max(card.box.bottom for card, _ in placed) + 12
    return Box(place.x, place.y, place.width, bottom - place.y), tuple(placed)


def file_system_cards(spec: Spec) -> Iterator[tuple[Card, Card | None]]:
    """Yield every file system with the bucket that its files come from, if any."""
    for mount, line in platform_of(spec).picture().own_file_systems(spec):
        yield _card(mount, line), None
    for file_system in spec.file_systems:
        yield _card(file_system.mount, *_lines(file_system)), _bucket(file_system)


def _card(mount: str, *lines: str) -> Card:
    return Card("disk", "storage", mount, lines)


def _lines(file_system: FileSystem) -> tuple[str, ...]:
    match file_system.settings:
        case Lustre() as lustre:
            return _lustre(lustre)
        case OpenZfs() as openzfs:
            return _openzfs(openzfs)
        case Ebs() as ebs:
            return _ebs(ebs)
        case Efs() as efs:
            return _efs(efs)


def _lustre(lustre: Lustre) -> tuple[str, ...]:
    if lustre.intelligent_tiering is not None:
        return "FSx for Lustre Intelligent-Tiering", f"{lustre.intelligent_tiering.throughput_mb_s:,} MB/s"
    if lustre.size_gib is None:
        return "FSx for Lustre", _existing(lustre.id)
    rate = lustre.throughput_mb_s_per_tib
    # FSx counts 1,200 GiB as 1.2 TiB: https://docs.aws.amazon.com/fsx/latest/LustreGuide/performance.html
    together = "" if rate is None else f", {lustre.size_gib * rate / 1000:,.0f} MB/s"
    return f"FSx for Lustre {lustre.deployment}", f"{lustre.size_gib:,} GiB{together}"


def _openzfs(openzfs: OpenZfs) -> tuple[str, ...]:
    if openzfs.size_gib is None:
        return "FSx for OpenZFS", _existing(openzfs.id)
    rate = "" if openzfs.throughput_mb_s is None else f", {openzfs.throughput_mb_s:,} MB/s"
    return f"FSx for OpenZFS {openzfs.deployment}", f"{openzfs.size_gib:,} GiB{rate}"


def _ebs(ebs: Ebs) -> tuple[str, ...]:
    if ebs.size_gib is None:
        return "EBS, over NFS from the head node", _existing(ebs.id)
    iops = "" if ebs.iops is None else f", {ebs.iops:,} IOPS"
    rate = "" if ebs.throughput_mib_s is None else f", {ebs.throughput_mib_s:,} MiB/s"
    return "EBS, over NFS from the head node", f"{ebs.size_gib:,} GiB {ebs.type}{iops}{rate}"


def _efs(efs: Efs) -> tuple[str, ...]:
    if efs.id is not None:
        return "Amazon EFS", _existing(efs.id)
    rate = "" if efs.throughput_mib_s is None else f", {efs.throughput_mib_s:,} MiB/s"
    return "Amazon EFS, in every zone", f"grows with its files{rate}"


def _existing(id_: str | None) -> str:
    return "of the environment" if id_ == "environment" else f"existing {id_}"


def _bucket(file_system: FileSystem) -> Card | None:
    links = () if file_system.lustre is None else file_system.lustre.links
    if not links:
        return None
    more = (f"and {len(links) - 1} more",) if len(links) > 1 else ()
    return Card("bucket", "bucket", "S3 data", (links[0].uri, *more))
