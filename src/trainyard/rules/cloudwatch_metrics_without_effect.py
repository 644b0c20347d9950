"""Metrics for CloudWatch that no node could give or send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.spec.cluster import Spec
from trainyard.spec.node_group import NodeGroup


def check(spec: Spec) -> Iterator[Problem]:
    """Yield groups of metrics that nothing is measured for, and all of them where nothing sends them."""
    groups = spec.monitoring.cloudwatch_metrics
    if groups and not spec.monitoring.logs:
        problem = "logs is false, and without it ParallelCluster runs no CloudWatch agent, which sends the metrics"
        yield Problem(("monitoring", "cloudwatch_metrics"), problem, "leave logs on, or remove the key")
        return
    for position, group in enumerate(groups):
        path = ("monitoring", "cloudwatch_metrics", position)
        if group in groups[:position]:
            yield Problem(path, f"{group} is there twice")
        elif group in _NEEDED and not _any_node(spec, _NEEDED[group][0]):
            yield Problem(path, f"{group}, and no nodes have {_NEEDED[group][1]}")


def _any_node(spec: Spec, has: Callable[[NodeGroup], bool]) -> bool:
    return any(has(group) for group in spec.node_groups())


def _has_gpus(group: NodeGroup) -> bool:
    all_facts = [find(name) for name in group.instance_types]
    return any(facts is None or facts.gpu_count != 0 for facts in all_facts)


def _has_efa(group: NodeGroup) -> bool:
    all_facts = [find(name) for name in group.instance_types]
    return group.efa is not False and (
        bool(group.efa) or any(facts is None or facts.has_efa is not False for facts in all_facts)
    )


_NEEDED: Mapping[str, tuple[Callable[[NodeGroup], bool], str]] = {
    "gpu": (_has_gpus, "NVIDIA GPUs"),
    "efa": (_has_efa, "EFA"),
    "efa-interfaces": (_has_efa, "EFA"),
}

RULE = Rule(
    severity="error",
    title="CloudWatch metrics without effect",
    rationale=(
        "Metrics reach CloudWatch through ParallelCluster's agent, which runs where logs are kept in CloudWatch. "
        "Without it, or on nodes that lack what is to be measured, dashboards and alarms stay empty, and an alarm "
        "without data looks like one without cause."
    ),
    remedy="remove it from the list",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html",
    bad="""\
monitoring: {cloudwatch_metrics: [system, gpu]}
queues:
  - {name: preprocess, instance_type: m5.8xlarge}
""",
    good="""\
monitoring: {cloudwatch_metrics: [system, gpu]}
queues:
  - {name: inference-gpu, instance_type: g5.12xlarge}
""",
    check=check,
)
