"""Timeouts shorter than nodes are likely to take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trainyard.catalog.bootstrap_minutes import bootstrap_minutes, head_node_minutes
from trainyard.rules import Problem, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainyard.finding import Severity
    from trainyard.spec.cluster import Spec
    from trainyard.spec.node_group import NodeGroup
    from trainyard.spec.queue import Queue

Minutes = tuple[int, int]
"""The least and the most that something is estimated to take."""


def check(spec: Spec) -> Iterator[Problem]:
    """Yield timeouts below the estimate for a queue, and for the head node with the nodes that it waits for."""
    if spec.platform != "parallelcluster" or spec.is_environment:
        return
    minutes, queue = max(((_minutes(spec, queue), queue) for queue in spec.queues), key=lambda one: one[0][1])
    if (timeout_s := spec.timeouts.compute_node_s) < minutes[1] * 60:
        message = f"{timeout_s:,} s for nodes of queue {queue.name!r}, which take {_in_words(minutes)} to come up"
        severity = _severity(timeout_s, minutes, own_image=bool(queue.ami or spec.image.ami))
        yield Problem(("timeouts", "compute_node_s"), message, _remedy(minutes), severity)
    if (timeout_s := spec.timeouts.head_node_s) < (minutes := minutes_with_nodes(spec))[1] * 60:
        message = f"{timeout_s:,} s for the head node, which takes {_in_words(minutes)} to come up{_reason(spec)}"
        severity = _severity(timeout_s, minutes, own_image=_has_own_image(spec))
        yield Problem(("timeouts", "head_node_s"), message, _remedy(minutes), severity)


def minutes_with_nodes(spec: Spec) -> Minutes:
    """Return what the head node takes with the slowest of the nodes that it waits for."""
    own = head_node_minutes()
    waited = max((_minutes(spec, group.queue) for group in waited_for(spec)), default=(0, 0))
    return own[0] + waited[0], own[1] + waited[1]


def waited_for(spec: Spec) -> Iterator[NodeGroup]:
    """Yield the nodes that must be up before the head node is done: https://github.com/aws/aws-parallelcluster/issues/3373."""
    for group in spec.node_groups():
        if group.min_nodes > 0 and group.capacity_kind != "capacity_block":
            yield group


def _minutes(spec: Spec, queue: Queue) -> Minutes:
    # Nobody has measured neuron. It takes no less than cpu: it installs the same, and drivers besides.
    return bootstrap_minutes(queue.setup or spec.software.setup) or bootstrap_minutes("cpu") or (0, 0)


def _reason(spec: Spec) -> str:
    names = dict.fromkeys(repr(group.queue.name) for group in waited_for(spec))
    return f" because it waits for nodes that always run, in {', '.join(names)}" if names else ""


def _has_own_image(spec: Spec) -> bool:
    return bool(spec.image.ami or spec.head_node.ami or any(queue.ami for queue in spec.queues))


def _severity(timeout_s: int, minutes: Minutes, *, own_image: bool) -> Severity:
    """Return error below the least estimate, and warning above it, or where an image of one's own may be quicker."""
    return "warning" if own_image or timeout_s >= minutes[0] * 60 else "error"


def _in_words(minutes: Minutes) -> str:
    least, most = minutes
    return f"{least} minutes" if least == most else f"{least} to {most} minutes"


def _remedy(minutes: Minutes) -> str:
    return f"write twice the estimate, {minutes[1] * 120}, or more"


RULE = Rule(
    severity="warning",
    title="Timeout below what nodes need",
    rationale=(
        "A compute node that is not up in time is terminated and launched again, until the cluster enters protected "
        "mode; a head node that is not, fails the whole cluster. The estimates are one team's, with official images; "
        "an image of your own that holds the software already comes up sooner."
    ),
    remedy="write twice what nodes are estimated to take",
    source="https://github.com/bae12-jo/parallelcluster-for-llm-training/blob/27f3870abafa2912efdcb3694c0bbd2ee246d33b/guide/02-timeout-configuration.md",
    bad="""\
software: {setup: gpu}
timeouts: {head_node_s: 3600, compute_node_s: 900}
""",
    good="""\
software: {setup: gpu}
timeouts: {head_node_s: 3600, compute_node_s: 2400}
""",
    check=check,
)
