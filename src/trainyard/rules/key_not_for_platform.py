"""A key, or a value, that the chosen platform has no use for."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.finding import Path
from trainyard.platform_parts import UnusableKeys
from trainyard.platform_table import platform_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield sections and keys that were written although the platform cannot use them, and values that it has not."""
    platform = platform_of(spec)
    unusable = platform.unusable_keys()
    for path in _written(spec, unusable):
        yield Problem(path, f"{spec.platform} has no use for {path[-1]}", f"remove {path[-1]}, or change platform")
    yield from unusable.values(spec)
    if spec.monitoring.mode == "self-hosting" and not platform.can_host_monitoring:
        problem = f"{spec.platform} has no head node, which sends metrics to a Prometheus of mode self-hosting"
        yield Problem(("monitoring", "mode"), problem, "write mode: amp-only or amp+amg, or none")


def _written(spec: Spec, unusable: UnusableKeys) -> Iterator[Path]:
    yield from (path for path in unusable.paths if _is_written(spec, path))
    for group in spec.node_groups():
        nodes = group.settings.nodes
        if not isinstance(nodes, int):
            yield from ((*group.path, "nodes", key) for key in unusable.number_keys if key in nodes.written)
    for index, queue in enumerate(spec.queues):
        yield from (("queues", index, key) for key in unusable.queue_keys if key in queue.written)
    for group in spec.node_groups():
        yield from ((*group.path, key) for key in unusable.node_keys if key in group.settings.written)


def _is_written(spec: Spec, path: Path) -> bool:
    *sections, key = path
    place = spec
    for section in sections:
        place = getattr(place, str(section))
        if place is None:
            return False
    return key in place.written


RULE = Rule(
    severity="error",
    title="Key that the platform cannot use",
    rationale="A setting that is silently ignored is worse than none: the cluster is not what the spec says.",
    remedy="remove the key, or choose another platform",
    source="https://docs.aws.amazon.com/batch/latest/userguide/compute_environments.html",
    bad="""\
platform: batch
head_node: {instance_type: m5.8xlarge}
""",
    good="""\
platform: parallelcluster
head_node: {instance_type: m5.8xlarge}
""",
    check=check,
)
