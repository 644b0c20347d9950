"""Trainium nodes that boot an image without Neuron and install none."""

from __future__ import annotations

from collections.abc import Iterator

from trainyard.catalog.instances import find
from trainyard.launch.setup import setup_of
from trainyard.rules import Problem, Rule
from trainyard.rules.head_node_timeout_final import has_scripts
from trainyard.spec.cluster import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Yield nodes with Trainium whose queue has neither a setup, nor an image, nor scripts of its own.

    On AWS Batch and Amazon EKS the default image of such a type has the driver, and the containers have the rest.
    """
    for group in spec.node_groups():
        queue = group.queue
        if setup_of(spec, queue) != "none" or queue.ami or spec.image.ami:
            continue
        if has_scripts(queue.custom_actions):
            continue
        facts = next((facts for facts in map(find, group.instance_types) if facts and facts.neuron), None)
        if facts is not None and facts.accelerators is not None:
            chips = f"{facts.accelerators.count} {facts.accelerators.model}"
            message = f"nothing installs Neuron on {facts.name}, so the {chips} in queue {queue.name!r} lie idle"
            path = (*group.path[:2], "setup") if queue.setup else (*group.path, "instance_type")
            yield Problem(path, message, f"write setup: neuron in queue {queue.name!r}, or name an image that has it")


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="nodes_run_release",
    title="Trainium without Neuron",
    rationale=(
        "Programs reach Trainium through the driver, runtime and compiler of the Neuron SDK. The official images are "
        "made for NVIDIA GPUs; ParallelCluster's own test of Trainium installs Neuron by script before anything runs."
    ),
    remedy="write setup: neuron, or name an image that has Neuron",
    source="https://github.com/aws/aws-parallelcluster/pull/7047",
    bad="""\
queues:
  - name: compute-trn
    instance_type: trn1.32xlarge
    nodes: {min: 0, max: 4}
software: {setup: none}
""",
    good="""\
queues:
  - name: compute-trn
    instance_type: trn1.32xlarge
    nodes: {min: 0, max: 4}
    setup: neuron
""",
    check=check,
)
