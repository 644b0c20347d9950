"""A throughput of FSx for Lustre that its deployment type does not have."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.storage import lustre_deployment
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.file_system import Lustre


def check(spec: Spec) -> Iterator[Problem]:
    """Yield Lustre file systems to be made whose throughput is missing, superfluous or not offered."""
    for index, file_system in enumerate(spec.file_systems):
        lustre = file_system.lustre
        if lustre is not None and lustre.size_gib is not None and (message := _message(lustre)):
            yield Problem(("file_systems", index, "lustre", "throughput_mb_s_per_tib"), message, _remedy(lustre))


def _message(lustre: Lustre) -> str | None:
    offered = lustre_deployment(lustre.deployment).throughputs_mb_s_per_tib
    written = lustre.throughput_mb_s_per_tib
    if written is None:
        return f"FSx for Lustre {lustre.deployment} needs a throughput" if offered else None
    if not offered:
        return f"FSx for Lustre {lustre.deployment} takes no throughput"
    return None if written in offered else f"FSx for Lustre {lustre.deployment} has no {written} MB/s for each TiB"


def _remedy(lustre: Lustre) -> str:
    offered = lustre_deployment(lustre.deployment).throughputs_mb_s_per_tib
    return f"choose {', '.join(str(rate) for rate in offered)} MB/s for each TiB" if offered else "remove the key"


RULE = Rule(
    severity="error",
    title="FSx for Lustre throughput that does not exist",
    rationale=(
        "Each persistent deployment type offers a few throughputs for each TiB of storage, and creation fails with "
        "any other. PERSISTENT_2 has no default: leaving it out fails too."
    ),
    remedy="choose a throughput that the deployment type offers",
    source="https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystemLustreConfiguration.html",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 200}}
""",
    good="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}
""",
    check=check,
)
