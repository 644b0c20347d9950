"""What images of ParallelCluster have, and which versions must not meet, as tables."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.by_version import number_of
from trainyard.catalog.catalog_file import FOLDER, content
from trainyard.catalog.parallelcluster import version_in_images
from trainyard.catalog.version_conflict import VersionConflict
from trainyard.catalog.version_conflicts import bounds_in_words, source_url, version_conflicts


def image_version_rows() -> str:
    """Return the table of the releases of ParallelCluster that change what their images have."""
    return "\n".join(_image_rows())


def conflict_rows() -> str:
    """Return the table of the versions that must not meet."""
    return "\n".join(_conflict_rows())


def _image_rows() -> Iterator[str]:
    components = content(FOLDER / "image_versions.yaml")["components"]
    releases = sorted({release for known in components.values() for release in known}, key=number_of)
    yield "| ParallelCluster | EFA installer | NVIDIA driver | Slurm |"
    yield "|---|---|---|---|"
    for release in releases:
        cells = (_range(release, "efa-installer"), _range(release, "nvidia-driver"), _range(release, "slurm"))
        yield f"| {release} | {' | '.join(cells)} |"


def _range(release: str, component: str) -> str:
    known = version_in_images(component, release)  # type: ignore[arg-type]  # one of the three, see above
    if known is None:
        return "unknown"
    return known.least if known.least == known.most else f"{known.least} to {known.most or 'unknown'}"


def _conflict_rows() -> Iterator[str]:
    yield "| Versions | Where | What happens | What to do | Judged as | Evidence |"
    yield "|---|---|---|---|---|---|"
    for conflict in version_conflicts().values():
        versions = " with ".join(f"{name} {bounds_in_words(bounds)}" for name, bounds in conflict.components.items())
        evidence = f"[{conflict.evidence.replace('-', ' ')}]({source_url(conflict)}), {conflict.confidence}"
        cells = (versions, _where(conflict), conflict.effect, conflict.remedy, conflict.severity, evidence)
        yield f"| {' | '.join(cells)} |"


def _where(conflict: VersionConflict) -> str:
    if conflict.families:
        return ", ".join(conflict.families)
    generations = ", ".join(str(generation) for generation in conflict.efa_generations)
    return f"generation {generations} of EFA" if generations else "everywhere"
