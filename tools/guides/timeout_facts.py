"""How long nodes may take, and how long they are estimated to: from the steps, the catalog and the architectures."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.api.new import new_spec
from trainyard.architectures import all_architectures
from trainyard.bootstrap.steps import STEPS, BootstrapStep
from trainyard.catalog.bootstrap_times import Seconds, step_seconds
from trainyard.catalog.parallelcluster import limits
from trainyard.platform_table import platform_of
from trainyard.rules.timeout_below_bootstrap import queue_seconds, seconds_with_nodes
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse


def step_rows() -> str:
    """Return the table of all steps: which nodes take them, when they are ended, and how long they are estimated."""
    return "\n".join(_step_rows())


def architecture_rows() -> str:
    """Return the table of the architectures: how long their nodes are estimated to take, and how long they may."""
    return "\n".join(_architecture_rows())


def own_default_minutes(version: str) -> str:
    """Return what a version of ParallelCluster takes for a timeout that nobody wrote. Raises KeyError for others."""
    found = limits(version)
    if found is None:
        raise KeyError(version)
    return f"{found.default_bootstrap_timeout_s // 60} minutes"


def seconds_of(step: str) -> str:
    """Return how long a step is estimated to take. Raises KeyError for one that nobody has measured."""
    seconds = step_seconds(step)
    if seconds is None:
        raise KeyError(step)
    return _in_words(seconds)


def _step_rows() -> Iterator[str]:
    yield "| Step | Nodes | Without it | Ended after | Estimate |"
    yield "|---|---|---|---|---|"
    for step in STEPS:
        name = f"[{step.number}-{step.name}](../bootstrap.md#{step.number}-{step.name})"
        yield f"| {name} | {', '.join(step.roles)} | {_without(step)} | {step.timeout_s:,} s | {_estimate(step)} |"


def _without(step: BootstrapStep) -> str:
    if step.deferred:
        return "jobs wait" if step.required else "jobs wait for it to end"
    return "the node is not up" if step.required else "the node is up all the same"


def _estimate(step: BootstrapStep) -> str:
    seconds = step_seconds(step.name)
    return "nobody has measured it" if seconds is None else _in_words(seconds)


def _architecture_rows() -> Iterator[str]:
    yield "| Architecture | A compute node takes | It may take | The head node and what it waits for | It may take |"
    yield "|---|---|---|---|---|"
    for architecture in all_architectures():
        spec = parse(new_spec(architecture.name, []), architecture.name).spec
        if platform_of(spec).has_head_node:
            yield f"| `{architecture.name}` | {' | '.join(_times(spec))} |"


def _times(spec: Spec) -> Iterator[str]:
    slowest = max((queue_seconds(spec, queue) for queue in spec.queues), key=lambda seconds: seconds[1])
    for seconds, timeout_s in (
        (slowest, spec.timeouts.compute_node_s),
        (seconds_with_nodes(spec), spec.timeouts.head_node_s),
    ):
        yield _in_words(seconds)
        yield f"{timeout_s:,} s"


def _in_words(seconds: Seconds) -> str:
    least, most = seconds
    return f"{least:,} s" if least == most else f"{least:,} to {most:,} s"
