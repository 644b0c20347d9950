"""Cards of the file systems that every node mounts, and of the buckets behind them."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.platform_table import platform_of
from trainyard.render.diagram.card import Card
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs, Efs, FileSystem, Lustre, OpenZfs


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
    if file_system.lustre is None or file_system.lustre.data_repository is None:
        return None
    return Card("bucket", "bucket", "S3 data", (file_system.lustre.data_repository,))
