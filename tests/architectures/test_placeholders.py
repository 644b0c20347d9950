"""Whatever a documented template asks to be replaced is set with ``--set``, and arrives where the template had it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trainyard.api.new import new_spec
from trainyard.architectures import all_architectures
from trainyard.document.read import read_yaml
from trainyard.errors import SpecError
from trainyard.render.rendering import render
from trainyard.spec.parsing import parse

FILE = Path(__file__).parent / "placeholders.yaml"
TABLE = read_yaml(FILE.read_text(encoding="utf-8"), FILE.name).value
OF_THE_PLACEHOLDERS = [
    architecture.name for architecture in all_architectures() if architecture.name.startswith("distributed-training-")
]
CASES = [
    *((name, text) for text in OF_THE_PLACEHOLDERS for name in TABLE["placeholders"]),
    *((name, text) for text in OF_THE_PLACEHOLDERS if text.endswith("-custom-ami") for name in TABLE["custom-image"]),
    *((name, "p5-observability") for name in TABLE["runbook"]),
]
HOW = TABLE["placeholders"] | TABLE["custom-image"] | TABLE["runbook"]


def config_of(text: str) -> Any:
    """Return what ParallelCluster reads of a spec."""
    return render(parse(text, "cluster.yaml").spec, {}).documents["cluster.yaml"]


def value_at(document: Any, path: str) -> Any:
    """Return the value at a path with dots, in which numbers count the items of lists."""
    for step in path.split("."):
        document = document[int(step) if step.isdigit() else step]
    return document


@pytest.mark.parametrize(("placeholder", "architecture"), CASES)
def test_a_placeholder_is_set_and_arrives_in_the_configuration(placeholder: str, architecture: str):
    config = config_of(new_spec(architecture, HOW[placeholder]["set"]))
    arrived = HOW[placeholder]["at"]
    assert {path: value_at(config, path) for path in arrived} == arrived


@pytest.mark.parametrize("bound", ["min", "max"])
def test_equal_bounds_are_a_fixed_number_of_nodes(bound: str):
    config = config_of(new_spec("distributed-training-gpu", ["queues[0].nodes={min: 6, max: 6}"]))
    assert value_at(config, f"Scheduling.SlurmQueues.0.ComputeResources.0.{bound.title()}Count") == 6


def test_a_minimum_alone_beside_a_fixed_number_is_told_what_is_missing():
    with pytest.raises(SpecError) as raised:
        new_spec("distributed-training-gpu", ["queues[0].nodes.min=0"])
    assert [(finding.id, finding.path, finding.remedy) for finding in raised.value.findings] == [
        ("spec-missing-key", "queues[0].nodes.max", "write max: …")
    ]
