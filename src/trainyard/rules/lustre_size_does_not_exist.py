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
        if not offered.size_exists(lustre.size_gib):
            nearest = " or ".join(f"{size:,}" for size in offered.nearest_sizes_gib(lustre.size_gib))
            yield Problem(
                ("file_systems", index, "lustre", "size_gib"),
                f"FSx for Lustre {lustre.deployment} has no size of {lustre.size_gib:,} GiB",
                f"the nearest sizes are {nearest} GiB",
            )


RULE = Rule(
    severity="error",
    title="FSx for Lustre size that does not exist",
    rationale=(
        "Lustre file systems come in 1,200 GiB, 2,400 GiB and steps of 2,400 GiB. Any other size fails after the "
        "network was made."
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
