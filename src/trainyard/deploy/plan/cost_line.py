"""Lines of an estimate: so many of something, at a list price or at an unknown one; volumes and compute nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trainyard.catalog import prices
from trainyard.catalog.prices import Price, PriceRange
from trainyard.catalog.source import Source
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.volume import RootVolume

# What a gp3 volume has without further payment: https://aws.amazon.com/ebs/pricing/
_GP3_IOPS = 3000
_GP3_MB_S = 125
# Above this io2 has lower prices in two steps, which the catalog does not have: https://aws.amazon.com/ebs/pricing/
_IO2_FIRST_IOPS = 32_000
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-reservations-pricing-billing.html
# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-pricing-billing.html
_BASIS = {
    "on-demand": "on demand, while a node runs",
    "spot": "spot: the price moves, and is at most the on-demand price or the one that the spec sets",
    "reservation": (
        "a reservation is paid at the on-demand price whether its instances run or not; counted as large as the queue"
    ),
    "reservation_group": (
        "reservations are paid at the on-demand price whether their instances run or not; counted as large as the queue"
    ),
    "capacity_block": (
        "a Capacity Block is paid in advance for its whole period, whether it is used or not, at the price of its offer"
    ),
}
_PRICED = ("on-demand", "reservation", "reservation_group")
_PAID_UNUSED = ("reservation", "reservation_group", "capacity_block")


@dataclass(frozen=True, slots=True)
class CostLine:
    """What something costs an hour."""

    what: str
    unit: str
    """What is counted: instance, GiB, address."""
    least: float
    """How many there are at least: with every queue at its fewest nodes."""
    most: float
    """How many there are at most."""
    usd_per_hour_each: float | None
    """None: no public price is known, so no total can hold it."""
    basis: str
    """How it is charged, and what the count assumes."""
    source: Source | None

    @property
    def least_usd_per_hour(self) -> float | None:
        """What it costs with every queue at its fewest nodes."""
        return None if self.usd_per_hour_each is None else self.least * self.usd_per_hour_each

    @property
    def source_date(self) -> str | None:
        """Of when the price is: published where its source says so, else when the source was read."""
        return None if self.source is None else self.source.published or self.source.read

    @property
    def most_usd_per_hour(self) -> float | None:
        """What it costs with every queue at its most nodes."""
        return None if self.usd_per_hour_each is None else self.most * self.usd_per_hour_each


def by_the_hour(what: str, unit: str, count: tuple[float, float], price: Price | None, basis: str) -> CostLine:
    """Return a line of something whose price is for an hour. ``count`` is least and most."""
    usd, source = (None, None) if price is None else (price.usd, price.source)
    return CostLine(what, unit, *count, usd, basis, source)


def by_the_month(what: str, unit: str, count: tuple[float, float], price: Price | None, basis: str) -> CostLine:
    """Return a line of something whose price is for a month, of which an hour is the 730th part."""
    usd, source = (None, None) if price is None else (price.usd / prices.HOURS_A_MONTH, price.source)
    return CostLine(what, unit, *count, usd, basis, source)


def public_addresses(what: str, region: str, count: int) -> CostLine:
    """Return a line of public IPv4 addresses."""
    price = prices.service("public_ipv4_hour", region)
    return by_the_hour(what, "public IPv4 address", (count, count), price, "every public IPv4 address, used or not")


def volume_lines(what: str, volume: RootVolume | Ebs, region: str, count: tuple[int, int]) -> Iterator[CostLine]:
    """Yield the lines of volumes of one kind. ``count`` is how many volumes there are at least and at most."""
    type_ = volume.type
    storage = prices.service(f"ebs_{type_}_gib_month", region)
    yield by_the_month(f"{what}, {type_}", "GiB", _times(volume.size_gib or 0, count), storage, _basis(type_))
    iops = (volume.iops or 0) - (_GP3_IOPS if type_ == "gp3" else 0)
    if iops > 0:
        price = _iops_price(type_, iops, region)
        yield by_the_month(
            f"IOPS of {what}", "IOPS", _times(iops, count), price, "provisioned, beyond what is included"
        )
    mb_s = (volume.throughput_mib_s or 0) - _GP3_MB_S
    if mb_s > 0:
        price = prices.service(f"ebs_{type_}_mb_s_month", region)
        unit = "MB/s"
        yield by_the_month(f"throughput of {what}", unit, _times(mb_s, count), price, "provisioned, beyond 125 MB/s")


def _basis(type_: str) -> str:
    return "while the volume exists, and its I/O besides" if type_ == "standard" else "while the volume exists"


def _iops_price(type_: str, iops: int, region: str) -> Price | None:
    return None if type_ == "io2" and iops > _IO2_FIRST_IOPS else prices.service(f"ebs_{type_}_iops_month", region)


def _times(each: int, count: tuple[int, int]) -> tuple[int, int]:
    return each * count[0], each * count[1]


def compute_lines(spec: Spec) -> Iterator[CostLine]:
    """Yield the compute nodes of every queue."""
    for group in spec.node_groups():
        yield _instances(spec, group)
        count = (group.min_nodes, group.max_nodes)
        yield from volume_lines(f"root volumes of {_name(group)}", group.queue.root_volume, spec.region, count)


def _instances(spec: Spec, group: NodeGroup) -> CostLine:
    kind = group.capacity_kind
    least = group.max_nodes if kind in _PAID_UNUSED else group.min_nodes
    price = _one_price(group.instance_types, spec.region) if kind in _PRICED else None
    what = f"{_name(group)}, {' or '.join(group.instance_types)}"
    offers = _offers(group.instance_types, spec.region) if kind == "capacity_block" else ""
    return by_the_hour(what, "instance", (least, group.max_nodes), price, _BASIS[kind] + offers)


def _offers(instance_types: tuple[str, ...], region: str) -> str:
    """Return what offers of Capacity Blocks have been; nothing where no public source says it."""
    known = [(name, prices.capacity_block_hour(name, region)) for name in instance_types]
    return "".join(
        f"; of {name} offers have been USD {_usd_range(offer)} an hour each ({offer.source.what})"
        for name, offer in known
        if offer is not None
    )


def _usd_range(offer: PriceRange) -> str:
    return " to ".join(dict.fromkeys(f"{usd:,.2f}" for usd in (offer.least_usd, offer.most_usd)))


def _one_price(instance_types: tuple[str, ...], region: str) -> Price | None:
    """Return the price of whichever type a node is; None where they differ or one is unknown."""
    hourly = [prices.instance_hour(name, region) for name in instance_types]
    same = {None if price is None else price.usd for price in hourly}
    return hourly[0] if len(same) == 1 else None


def _name(group: NodeGroup) -> str:
    return f"queue {group.queue.name}" if group.queue.compute_resources is None else f"{group.queue.name}/{group.name}"
