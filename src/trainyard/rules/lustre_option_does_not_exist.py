"""An option of FSx for Lustre that its deployment type or storage class does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.storage import lustre_deployment
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import IntelligentTiering, Lustre

# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html
_THROUGHPUT_STEP_MB_S = 4000
_MOST_THROUGHPUT_MB_S = 2_000_000
# For each step of the throughput: https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreReadCacheConfiguration.html
_CACHE_GIB = (32, 131_072)
_TIERED_METADATA_IOPS = (6000, 12_000)

_Found = tuple[tuple[str, ...], str, str]


def check(spec: Spec) -> Iterator[Problem]:
    """Yield EFA, metadata IOPS and Intelligent-Tiering that FSx would refuse."""
    for path, mount, lustre in spec.new_lustre():
        for key, message, remedy in (*_of_deployment(lustre), *_of_metadata(lustre), *_of_tiering(lustre)):
            yield Problem((*path, *key), f"{mount}: {message}", remedy)


def _of_deployment(lustre: Lustre) -> Iterator[_Found]:
    if lustre.deployment == "PERSISTENT_2":
        return
    remedy = "use PERSISTENT_2, or remove the key"
    asked = {
        "efa": lustre.efa,
        "metadata_iops": lustre.metadata_iops is not None,
        "intelligent_tiering": lustre.intelligent_tiering is not None,
    }
    for key, is_asked in asked.items():
        if is_asked:
            yield (key,), f"{lustre.deployment} has no {key}", remedy


def _of_metadata(lustre: Lustre) -> Iterator[_Found]:
    iops, offer = lustre.metadata_iops, lustre_deployment("PERSISTENT_2")
    if iops is None or lustre.deployment != "PERSISTENT_2":
        return
    if lustre.intelligent_tiering is not None:
        if iops not in _TIERED_METADATA_IOPS:
            yield ("metadata_iops",), f"Intelligent-Tiering has no metadata IOPS of {iops}", "use 6000 or 12000"
    elif iops != "automatic" and not offer.metadata_iops_exist(iops):
        remedy = f"use automatic, 1500, 3000, 6000, or multiples of 12000 up to {offer.most_metadata_iops}"
        yield ("metadata_iops",), f"FSx for Lustre has no {iops:,} metadata IOPS", remedy


def _of_tiering(lustre: Lustre) -> Iterator[_Found]:
    tiering = lustre.intelligent_tiering
    if tiering is None:
        return
    place = "intelligent_tiering"
    rate = tiering.throughput_mb_s
    if rate % _THROUGHPUT_STEP_MB_S or rate > _MOST_THROUGHPUT_MB_S:
        remedy = f"use a multiple of {_THROUGHPUT_STEP_MB_S}, {_MOST_THROUGHPUT_MB_S:,} at most"
        yield (place, "throughput_mb_s"), f"Intelligent-Tiering has no throughput of {rate:,} MB/s", remedy
    yield from _of_cache(tiering)
    if lustre.throughput_mb_s_per_tib is not None:
        message = "Intelligent-Tiering has no throughput for each TiB"
        yield ("throughput_mb_s_per_tib",), message, f"remove the key, and write {place}.throughput_mb_s"
    if lustre.links:
        message = "Intelligent-Tiering cannot be linked to S3"
        yield ("data_repository",), message, "remove the key and copy the data, or give the file system a size_gib"


def _of_cache(tiering: IntelligentTiering) -> Iterator[_Found]:
    servers = tiering.throughput_mb_s // _THROUGHPUT_STEP_MB_S
    least, most = (limit * servers for limit in _CACHE_GIB)
    size = tiering.read_cache_gib
    if size and servers and not least <= size <= most:
        message = f"{tiering.throughput_mb_s:,} MB/s of Intelligent-Tiering have no read cache of {size:,} GiB"
        yield ("intelligent_tiering", "read_cache_gib"), message, f"use {least:,} to {most:,} GiB, or 0 for none"


RULE = Rule(
    severity="error",
    title="Option of FSx for Lustre that does not exist",
    rationale=(
        "EFA, metadata IOPS and Intelligent-Tiering belong to PERSISTENT_2. Metadata IOPS and the throughput of "
        "Intelligent-Tiering come in steps, its read cache has limits for each step, and FSx does not link it to S3. "
        "Anything else fails after the network was made."
    ),
    remedy="write what FSx offers",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {intelligent_tiering: {throughput_mb_s: 5000}}}
""",
    good="""\
file_systems:
  - {mount: /fsx, lustre: {intelligent_tiering: {throughput_mb_s: 4000, read_cache_gib: 1024}}}
""",
    check=check,
)
