"""Whether every exporter that answers exports what it should, and under the labels that queries ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from trainyard.catalog.instances import uses_efa
from trainyard.finding import Finding
from trainyard.monitoring.exporters import neuron_queues
from trainyard.monitoring.node_discovery import TARGET_LABELS
from trainyard.monitoring.registry import foreign_metrics, registries, registry
from trainyard.operate.monitoring.verify.finding_kinds import finding
from trainyard.operate.monitoring.verify.subject import Situation
from trainyard.operate.monitoring.verify.targets import place
from trainyard.operate.nodes.durations import short_list
from trainyard.spec.cluster import Spec

# Of each kind of nodes, so that a cluster of a thousand is asked no more than one of twenty.
_MOST_TARGETS = 20
# A host label of dcgm-exporter has two spellings, and an Xid is a label only where there is one.
# https://github.com/NVIDIA/dcgm-exporter/pull/655 and https://github.com/NVIDIA/dcgm-exporter/pull/309
_OPTIONAL = {"Hostname", "hostname", "err_code", "err_msg"}
Kind = tuple[str, str, str]
"""Job, type of node and queue."""
TRAINYARD_NODE = "trainyard-node"


def metrics(situation: Situation) -> Iterator[Finding]:
    """Yield what never arrived from a kind of nodes, and what arrived without one of its labels."""
    targets = _answering(situation)
    names_by_kind = _names(situation, targets)
    situation.looked_at["metrics"] += len(set().union(*names_by_kind.values()))
    for (job, node_type, queue), names in sorted(names_by_kind.items()):
        missing = sorted(always_exported(situation.spec, job, node_type, queue) - names)
        if missing:
            yield finding("metric-missing", f"{job} of {place(node_type, queue)} does not export {short_list(missing)}")
    yield from _without_label(situation, targets, set().union(*names_by_kind.values()))
    yield from _without_target_label(situation)


def always_exported(spec: Spec, job: str, node_type: str, queue: str) -> frozenset[str]:
    """Return their names; none where nothing is known of the exporter."""
    data = _data()
    if job != TRAINYARD_NODE:
        return frozenset(data.get(job, ()))
    files = data[job].get(node_type, {}).get(spec.monitoring.slurm_names, ())
    efa = data[f"{job}-efa"] if _has_efa(spec, queue) else ()
    neuron = data[f"{job}-neuron"] if queue in neuron_queues(spec) else ()
    return frozenset(
        name for file in (*files, *efa, *neuron) for name in registry(file) if not _sometimes().fullmatch(name)
    )


def _answering(situation: Situation) -> dict[Kind, list[str]]:
    """Return some instances of each kind that answer."""
    instances_by_kind: dict[Kind, list[str]] = {}
    jobs = {exporter.job for exporter in situation.exporters}
    for target in situation.targets:
        labels = target.labels
        if target.value == 1 and labels.get("job") in jobs:
            kind = (labels["job"], labels.get("node_type", ""), labels.get("queue", ""))
            instances_by_kind.setdefault(kind, []).append(labels.get("instance", ""))
    return {kind: sorted(instances)[:_MOST_TARGETS] for kind, instances in instances_by_kind.items()}


def _names(situation: Situation, targets: dict[Kind, list[str]]) -> dict[Kind, set[str]]:
    names_by_kind: dict[Kind, set[str]] = {}
    for (job, node_type, queue), instances in targets.items():
        # Alerts that fire carry the labels of what they are about.
        of = f'job="{job}", instance=~"{_either(instances)}", __name__!~"ALERTS.*"'
        matcher = f"{situation.cluster}, {of}"
        answer = situation.values(f"group by (__name__) ({{{matcher}}})")
        names_by_kind[job, node_type, queue] = {sample.labels["__name__"] for sample in answer}
    return names_by_kind


def _without_label(situation: Situation, targets: dict[Kind, list[str]], names: set[str]) -> Iterator[Finding]:
    """Yield the metrics of which no series at all has a label that the registry gives them."""
    labels_by_name = {name: labels for name, labels in _labels_by_metric().items() if name in names}
    instances = _either([instance for listed_ in targets.values() for instance in listed_])
    lacking: dict[str, list[str]] = {}
    for label in sorted(set().union(*labels_by_name.values()) - _OPTIONAL):
        expected = sorted(name for name, labels in labels_by_name.items() if label in labels)
        matcher = f'{situation.cluster}, instance=~"{instances}", __name__=~"{"|".join(expected)}", {label}!=""'
        having = {sample.labels["__name__"] for sample in situation.values(f"group by (__name__) ({{{matcher}}})")}
        for name in sorted(set(expected) - having):
            lacking.setdefault(label, []).append(name)
    for label, missing in lacking.items():
        yield finding("label-missing", f"label {label} is missing on {short_list(missing)}")


def _without_target_label(situation: Situation) -> Iterator[Finding]:
    """Yield the labels that discovery gives a node and some target lacks; only compute nodes have a queue."""
    jobs = {exporter.job for exporter in situation.exporters}
    for label in TARGET_LABELS:
        lacking = sorted(
            target.labels.get("instance", "?")
            for target in situation.targets
            if target.labels.get("job") in jobs
            and label not in target.labels
            and (label != "queue" or target.labels.get("node_type") == "Compute")
        )
        if lacking:
            yield finding("label-missing", f"label {label} is missing on targets {short_list(lacking)}")


def _labels_by_metric() -> dict[str, frozenset[str]]:
    own = {name: labels for file in registries() for name, labels in registry(file).items()}
    return {**foreign_metrics(), **own}


def _either(values: list[str]) -> str:
    return "|".join(re.escape(value).replace("\\", "\\\\") for value in values)


def _has_efa(spec: Spec, queue: str) -> bool:
    groups = [group for group in spec.node_groups() if group.queue.name == queue]
    return bool(groups) and all(uses_efa(name, group.efa) for group in groups for name in group.instance_types)


@cache
def _sometimes() -> re.Pattern[str]:
    return re.compile("|".join(_data()["sometimes"]))


@cache
def _data() -> dict[str, Any]:
    content: dict[str, Any] = yaml.load(
        Path(__file__).with_name("always_exported.yaml").read_bytes(), Loader=yaml.CSafeLoader
    )
    return content
