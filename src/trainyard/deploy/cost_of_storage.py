"""What the file systems cost an hour that a spec makes. Those that exist already cost what they cost."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog import fsx_openzfs, prices
from trainyard.deploy.cost_line import Line, by_the_month
from trainyard.deploy.cost_of_volumes import volume_lines
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs, Efs, Lustre, OpenZfs

_WHILE_IT_EXISTS = "while the file system exists, however full it is"


def storage_lines(spec: Spec) -> Iterator[Line]:
    """Yield the lines of every file system to be made."""
    for file_system in spec.file_systems:
        match file_system.settings:
            case Lustre(id=None) as lustre:
                yield _lustre(file_system.mount, lustre, spec.region)
            case OpenZfs(id=None) as openzfs:
                yield from _openzfs(file_system.mount, openzfs, spec.region)
            case Ebs(id=None) as ebs:
                yield from volume_lines(f"{file_system.mount}, EBS volume", ebs, spec.region, (1, 1))
            case Efs(id=None) as efs:
                yield from _efs(file_system.mount, efs, spec.region)
            case _:
                continue


def _lustre(mount: str, lustre: Lustre, region: str) -> Line:
    throughput = lustre.throughput_mb_s_per_tib
    tier = lustre.deployment if throughput is None else f"{lustre.deployment}_{throughput}"
    price = prices.service(f"lustre_{tier}_gib_month", region)
    what = f"{mount}, FSx for Lustre, {lustre.deployment}"
    what = what if throughput is None else f"{what} with {throughput} MB/s/TiB"
    return by_the_month(what, "GiB", _once(lustre.size_gib or 0), price, f"{_WHILE_IT_EXISTS}; without backups")


def _openzfs(mount: str, openzfs: OpenZfs, region: str) -> Iterator[Line]:
    what = f"{mount}, FSx for OpenZFS, {openzfs.deployment}"
    storage = prices.service(f"openzfs_{openzfs.deployment}_gib_month", region)
    yield by_the_month(what, "GiB", _once(openzfs.size_gib or 0), storage, f"{_WHILE_IT_EXISTS}; without backups")
    offer = fsx_openzfs.deployment(openzfs.deployment)
    mb_s = openzfs.throughput_mb_s or (0 if offer is None else min(offer.throughputs_mb_s))
    throughput = prices.service(f"openzfs_{openzfs.deployment}_mb_s_month", region)
    yield by_the_month(f"throughput of {mount}, FSx for OpenZFS", "MB/s", _once(mb_s), throughput, _WHILE_IT_EXISTS)


def _efs(mount: str, efs: Efs, region: str) -> Iterator[Line]:
    yield by_the_month(f"{mount}, EFS", "file system", (1, 1), None, "by what is stored, which nobody knows beforehand")
    if efs.throughput_mib_s is not None:
        price = prices.service("efs_mb_s_month", region)
        basis = "provisioned, beyond what comes with the stored files"
        yield by_the_month(f"throughput of {mount}, EFS", "MB/s", _once(efs.throughput_mib_s), price, basis)


def _once(amount: int) -> tuple[int, int]:
    return amount, amount
