"""A size of FSx for Lustre that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.storage import lustre_deployment
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield Lustre file systems to be made whose size is not one that FSx offers."""
    for index, file_system in enumerate(spec.file_systems):
        lustre = file_system.lustre
        if lustre is None or lustre.size_gib is None:
            continue
        offered = lustre_deployment(lustre.deployment)
        throughput = lustre.throughput_mb_s_per_tib if lustre.efa else None
        sizes = offered.nearest_sizes_gib(lustre.size_gib, throughput)
        if lustre.size_gib not in sizes:
            nearest = " or ".join(f"{size:,}" for size in sizes)
            with_efa = f" with EFA and {throughput} MB/s for each TiB" if throughput is not None else ""
            yield Problem(
                ("file_systems", index, "lustre", "size_gib"),
                f"FSx for Lustre {lustre.deployment}{with_efa} has no size of {lustre.size_gib:,} GiB",
                f"the nearest sizes are {nearest} GiB",
            )


RULE = Rule(
    severity="error",
    title="FSx for Lustre size that does not exist",
    rationale=(
        "Lustre file systems come in 1,200 GiB, 2,400 GiB and steps of 2,400 GiB. With EFA they have whole file "
        "servers of 38,400 GiB at 125 MB/s for each TiB, 19,200 at 250, 9,600 at 500 and 4,800 at 1000. Any other "
        "size fails after the network was made."
    ),
    remedy="use 1200, 2400 or a multiple of 2400",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1000, throughput_mb_s_per_tib: 250}}
""",
    good="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 250}}
""",
    check=check,
)
