"""Timeouts shorter than nodes are likely to take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trainyard.bootstrap.steps import STEPS
from trainyard.catalog.bootstrap_times import BOOT, IN_PLACE, Seconds, step_seconds
from trainyard.catalog.instances import uses_efa
from trainyard.finding import Severity
from trainyard.launch.setup import setup_of
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup
from trainyard.spec.queue import Queue


def check(spec: Spec) -> Iterator[Problem]:
    """Yield timeouts below the estimate for a queue, and for the head node with the nodes that it waits for."""
    seconds, queue = max(((queue_seconds(spec, queue), queue) for queue in spec.queues), key=lambda item: item[0][1])
    if (timeout_s := spec.timeouts.compute_node_s) < seconds[1]:
        message = f"{timeout_s:,} s for nodes of queue {queue.name!r}, which take {_in_words(seconds)} to come up"
        severity = _severity(timeout_s, seconds, own_image=bool(queue.ami or spec.image.ami))
        yield Problem(("timeouts", "compute_node_s"), message, _remedy(seconds), severity)
    if (timeout_s := spec.timeouts.head_node_s) < (seconds := seconds_with_nodes(spec))[1]:
        message = f"{timeout_s:,} s for the head node, which takes {_in_words(seconds)} to come up{_reason(spec)}"
        severity = _severity(timeout_s, seconds, own_image=_has_own_image(spec))
        yield Problem(("timeouts", "head_node_s"), message, _remedy(seconds), severity)


def seconds_with_nodes(spec: Spec) -> Seconds:
    """Return what the head node takes with the slowest of the nodes that it waits for."""
    own = _sum(_installed_everywhere(spec), "head", spec.image.os)
    waited = [queue_seconds(spec, group.queue) for group in nodes_before_head_node(spec)]
    slowest = max(waited, key=lambda seconds: seconds[1], default=(0, 0))
    return own[0] + slowest[0], own[1] + slowest[1]


def nodes_before_head_node(spec: Spec) -> Iterator[NodeGroup]:
    """Yield the nodes that must be up before the head node is done: https://github.com/aws/aws-parallelcluster/issues/3373."""
    for group in spec.node_groups():
        if group.min_nodes > 0 and group.capacity_kind != "capacity_block":
            yield group


def queue_seconds(spec: Spec, queue: Queue) -> Seconds:
    """Return what is known of the nodes of a queue: steps that nobody has measured come on top."""
    return _sum(_installed(spec, queue), f"compute-{setup_of(spec, queue)}", spec.image.os)


def _installed(spec: Spec, queue: Queue) -> Iterator[str]:
    yield from _installed_everywhere(spec)
    setup = setup_of(spec, queue)
    if spec.installs_anything and setup != "none" and _has_efa(spec, queue):
        yield "efa" if spec.software.efa_version else IN_PLACE
    if setup == "gpu" and spec.monitoring.mode != "none":
        yield "dcgm-exporter"
    if setup == "gpu" and spec.software.nccl is not None:
        yield "nccl"


def _installed_everywhere(spec: Spec) -> Iterator[str]:
    if spec.software.containers:
        yield from ("docker", "enroot-pyxis")
    if spec.monitoring.logs and spec.installs_anything:
        yield "cloudwatch"
    if spec.monitoring.mode != "none":
        yield "node-exporter"


def _has_efa(spec: Spec, queue: Queue) -> bool:
    groups = spec.groups_in(queue)
    return any(uses_efa(name, group.efa) for group in groups for name in group.instance_types)


def _sum(steps: Iterable[str], *variants: str) -> Seconds:
    """Return what ParallelCluster itself takes, and the steps that a node is not up without."""
    waited_for = [BOOT, *(step for step in steps if step not in _DEFERRED)]
    step_ranges = [seconds for step in waited_for if (seconds := step_seconds(step, *variants)) is not None]
    return sum(least for least, _ in step_ranges), sum(most for _, most in step_ranges)


_DEFERRED = {step.name for step in STEPS if step.deferred}


def _reason(spec: Spec) -> str:
    names = dict.fromkeys(repr(group.queue.name) for group in nodes_before_head_node(spec))
    return f" because it waits for nodes that always run, in {', '.join(names)}" if names else ""


def _has_own_image(spec: Spec) -> bool:
    return bool(spec.image.ami or spec.head_node.ami or any(queue.ami for queue in spec.queues))


def _severity(timeout_s: int, seconds: Seconds, *, own_image: bool) -> Severity:
    """Return error below the least estimate, and warning above it, or where an image of one's own may be quicker."""
    return "warning" if own_image or timeout_s >= seconds[0] else "error"


def _in_words(seconds: Seconds) -> str:
    least, most = seconds[0] // 60, -(-seconds[1] // 60)
    return f"{least} minutes" if least == most else f"{least} to {most} minutes"


def _remedy(seconds: Seconds) -> str:
    return f"write twice the estimate, {seconds[1] * 2}, or more"


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="made_by_parallelcluster",
    title="Timeout below what nodes need",
    rationale=(
        "A compute node that is not up in time is terminated and launched again, until the cluster enters protected "
        "mode; a head node that is not, fails the whole cluster. The estimates are those of `trainyard plan`, with "
        "official images; an image of your own that holds the software already comes up sooner."
    ),
    remedy="write twice what nodes are estimated to take",
    source="https://github.com/bae12-jo/parallelcluster-for-llm-training/blob/27f3870abafa2912efdcb3694c0bbd2ee246d33b/guide/02-timeout-configuration.md",
    bad="""\
software: {setup: gpu, containers: true, efa_version: 1.51.0}
timeouts: {head_node_s: 3600, compute_node_s: 900}
""",
    good="""\
software: {setup: gpu, containers: true, efa_version: 1.51.0}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
