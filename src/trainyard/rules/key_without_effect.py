"""A key that another key leaves without any effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Path
    from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield zones beside subnets that have theirs already, and settings of file systems that exist already."""
    if spec.network.existing is not None and spec.network.availability_zone is not None:
        path: Path = ("network", "availability_zone")
        yield Problem(path, f"zone {spec.network.availability_zone} beside existing subnets, which have their zones")
    yield from _queue_problems(spec)
    yield from _file_system_problems(spec)


def _queue_problems(spec: Spec) -> Iterator[Problem]:
    for index, queue in enumerate(spec.queues):
        if queue.zones and (spec.network.existing is not None or queue.subnet != "private"):
            problem = f"queue {queue.name!r} names {', '.join(queue.zones)}, but its subnets have their zones already"
            yield Problem(("queues", index, "availability_zone"), problem, "name the subnet that lies there, in subnet")


def _file_system_problems(spec: Spec) -> Iterator[Problem]:
    for index, file_system in enumerate(spec.file_systems):
        settings = file_system.settings
        for key in sorted(settings.written - {"id"}):
            if settings.id is not None and getattr(settings, key) is not None:
                path = ("file_systems", index, file_system.kind, key)
                yield Problem(path, f"{settings.id} exists, so {key} has no effect")


RULE = Rule(
    severity="error",
    title="Key without effect",
    rationale=(
        "What exists already has its zone, its size and its settings. A key that says otherwise would be ignored, "
        "and the cluster would not be what the spec says."
    ),
    remedy="remove the key",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    bad="""\
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0, throughput_mb_s_per_tib: 500}}
""",
    good="""\
file_systems:
  - {mount: /fsx, lustre: {id: fs-0123456789abcdef0}}
""",
    check=check,
)
