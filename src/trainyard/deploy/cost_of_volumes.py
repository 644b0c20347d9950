"""What EBS volumes cost an hour: their storage, and what is provisioned beyond what comes with it."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import prices
from trainyard.catalog.price import Price
from trainyard.deploy.cost_line import Line, by_the_month
from trainyard.spec.file_system import Ebs
from trainyard.spec.volume import RootVolume

# What a gp3 volume has without further payment: https://aws.amazon.com/ebs/pricing/
_GP3_IOPS = 3000
_GP3_MB_S = 125
# Above this io2 has lower prices in two steps, which the catalog does not have: https://aws.amazon.com/ebs/pricing/
_IO2_FIRST_IOPS = 32_000


def volume_lines(what: str, volume: RootVolume | Ebs, region: str, count: tuple[int, int]) -> Iterator[Line]:
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
