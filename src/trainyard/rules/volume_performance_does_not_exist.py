"""A size or speed of an EBS volume that its type does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.storage import ebs_volume_type
from trainyard.catalog.storage_records import EbsLimits, EbsVolumeType
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.rules.unencrypted_volume import volumes
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Ebs
from trainyard.spec.volume import RootVolume


def check(spec: Spec) -> Iterator[Problem]:
    """Yield what volumes to be made ask for and their type, or ParallelCluster, does not give."""
    for path, volume in volumes(spec):
        facts = ebs_volume_type(volume.type)
        if facts is None:
            continue
        if facts.bootable is False and not isinstance(volume, Ebs):
            yield Problem((*path, "type"), f"{volume.type} cannot be a root volume", "choose gp3")
            continue
        if facts.iops_required and volume.iops is None and not platform_of(spec).made_by_parallelcluster:
            yield Problem((*path, "type"), f"{volume.type} needs iops", "write iops beside it, or choose gp3")
        for key, problem in _problems(volume, _limits(spec, facts)):
            yield Problem((*path, key), problem)


def _limits(spec: Spec, facts: EbsVolumeType) -> EbsLimits:
    """Return what counts on the platform. ParallelCluster has not followed EBS everywhere."""
    return facts.parallelcluster if platform_of(spec).made_by_parallelcluster else facts


def _problems(volume: RootVolume | Ebs, limits: EbsLimits) -> Iterator[tuple[str, str]]:
    assert volume.size_gib is not None  # noqa: S101  only a volume that exists has none
    if problem := _outside(volume.size_gib, limits.size_gib, "GiB"):
        yield "size_gib", f"{volume.type} {problem}"
    if problem := _iops_problem(volume.iops, volume.size_gib, limits):
        yield "iops", f"{volume.type} {problem}"
    if problem := _throughput_problem(volume.throughput_mib_s, volume.iops, limits):
        yield "throughput_mib_s", f"{volume.type} {problem}"


def _iops_problem(iops: int | None, size_gib: int, limits: EbsLimits) -> str | None:
    if iops is None:
        return None
    if limits.iops is None:
        return f"takes no IOPS, here {iops:,}"
    if limits.max_iops_per_gib is not None and iops > size_gib * limits.max_iops_per_gib:
        most = f"at most {limits.max_iops_per_gib:,} IOPS for each GiB"
        return f"has {most}, {size_gib * limits.max_iops_per_gib:,} for {size_gib:,} GiB, not {iops:,}"
    return _outside(iops, limits.iops, "IOPS")


def _throughput_problem(throughput_mib_s: int | None, iops: int | None, limits: EbsLimits) -> str | None:
    if throughput_mib_s is None:
        return None
    if limits.throughput_mib_s is None or limits.iops is None:
        return f"takes no throughput, here {throughput_mib_s:,} MiB/s"
    if problem := _outside(throughput_mib_s, limits.throughput_mib_s, "MiB/s"):
        return problem
    # Without iops a volume has the least that its type gives.
    ratio, provisioned = limits.max_throughput_mib_s_per_iops, iops or limits.iops[0]
    if ratio is not None and throughput_mib_s > provisioned * ratio:
        needed = -(-throughput_mib_s // ratio)
        return f"needs {needed:,.0f} IOPS for {throughput_mib_s:,} MiB/s, and has {provisioned:,}"
    return None


def _outside(value: int, bounds: tuple[int, int], unit: str) -> str | None:
    least, most = bounds
    return None if least <= value <= most else f"has {least:,} to {most:,} {unit}, not {value:,}"


RULE = Rule(
    severity="error",
    title="EBS volume that does not exist",
    rationale=(
        "Each volume type has its bounds, and speed depends on size and IOPS. ParallelCluster refuses what is "
        "outside of them, and for gp3 it still knows smaller ones than EBS."
    ),
    remedy="stay within what the type has, or choose another type",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateVolume.html",
    bad="""\
head_node: {root_volume: {throughput_mib_s: 1000}}
""",
    good="""\
head_node: {root_volume: {throughput_mib_s: 1000, iops: 4000}}
""",
    check=check,
)
