"""Queues of AWS Batch whose nodes cannot run the same images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trainyard.catalog.architecture import architecture_of
from trainyard.catalog.instances import find
from trainyard.rules import Problem, Rule
from trainyard.rules.instance_type_unknown import types_of
from trainyard.spec.cluster import Spec


class _Runs(NamedTuple):
    """What images have to be made for."""

    processors: str | None
    torch: str

    def beside(self, other: _Runs) -> str | None:
        """Return what differs; None where one image runs on both, or nobody knows."""
        if None not in (self.processors, other.processors) and self.processors != other.processors:
            return f"has processors of {self.processors}, and the first queue {other.processors}"
        if {self.torch, other.torch} == {"CUDA", "Neuron"}:
            return f"runs PyTorch with {self.torch}, and the first queue with {other.torch}"
        return None


def check(spec: Spec) -> Iterator[Problem]:
    """Yield types that need other images than the first one of the spec."""
    every = [(path, name, _runs(name)) for group in spec.node_groups() for path, name in types_of(group)]
    for path, name, runs in every[1:]:
        if (differs := runs.beside(every[0][2])) is not None:
            yield Problem(path, f"{name} {differs}, and all queues have the same images")


def _runs(name: str) -> _Runs:
    facts = find(name)
    torch = "" if facts is None or not facts.accelerators else "Neuron" if facts.neuron_count else "CUDA"
    return _Runs(architecture_of(name), torch)


RULE = Rule(
    severity="warning",
    confidence="likely",
    applies_to="has_batch",
    title="Images for nodes that cannot run them",
    rationale=(
        "All queues of a cluster of AWS Batch take the images of their job definitions from the same settings or the "
        "same tags. A container for other processors ends with exec format error, and PyTorch with CUDA finds no "
        "Trainium."
    ),
    remedy="make a cluster for each, which may share an environment, or submit job definitions of your own",
    source="https://docs.docker.com/build/building/multi-platform/",
    bad="""\
platform: batch
queues:
  - {name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}
  - {name: trn, instance_type: trn1.32xlarge, nodes: {min: 0, max: 4}}
""",
    good="""\
platform: batch
queues:
  - {name: gpu, instance_type: p4d.24xlarge, nodes: {min: 0, max: 4}}
  - {name: large, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}
""",
    check=check,
)
