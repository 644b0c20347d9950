"""Two mounts of which one hides the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from trainyard.finding import Path
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield every mount that is, or lies below, one that was named before it."""
    for (first, mount), (second, other) in combinations(mounts(spec), 2):
        path = second if second != ("scratch", "mount") or "scratch" in spec.written else first
        if mount == other:
            yield Problem(path, f"{other} is mounted twice")
        elif other.startswith(f"{mount}/") or mount.startswith(f"{other}/"):
            yield Problem(path, f"mounts {mount} and {other} lie one inside the other")


def mounts(spec: Spec) -> Iterator[tuple[Path, str]]:
    """Yield the directory of every mount with its place in the spec."""
    for index, file_system in enumerate(spec.file_systems):
        yield ("file_systems", index, "mount"), file_system.mount
    if platform_of(spec).mounts_scratch:
        yield ("scratch", "mount"), spec.scratch.mount


RULE = Rule(
    severity="error",
    title="Mounts that overlap",
    rationale=(
        "Which of two overlapping mounts wins depends on the order in which a node mounts them, and the other "
        "one's files vanish."
    ),
    remedy="give each file system a directory of its own",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html#yaml-SharedStorage-MountDir",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
  - {mount: /fsx/apps, ebs: {size_gib: 200}}
""",
    good="""\
file_systems:
  - {mount: /fsx, lustre: {size_gib: 1200, throughput_mb_s_per_tib: 125}}
  - {mount: /apps, ebs: {size_gib: 200}}
""",
    check=check,
)
