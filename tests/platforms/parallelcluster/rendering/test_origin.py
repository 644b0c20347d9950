"""From cluster.yaml back to the spec."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from tests.specs import spec_of, spec_texts
from trainyard.finding import Path, path_text
from trainyard.platforms.parallelcluster.rendering.origin import spec_path
from trainyard.render.rendering import render
from trainyard.spec.cluster import Spec
from trainyard.spec.fields import record_at
from trainyard.spec.parsing import parse

FLAT = "queues: [{name: q, instance_type: p5.48xlarge}]"
LONG = "queues: [{name: q, instance_type: p5.48xlarge}, {name: r, compute_resources: [{instance_type: m5.large}]}]"


def leaves(node: Any, path: Path = ()) -> Iterator[Path]:
    members = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else None
    if members is None:
        yield path
        return
    for step, member in members:
        yield from leaves(member, (*path, step))


@pytest.mark.parametrize(
    ("part", "rendered", "expected"),
    [
        (FLAT, ("HeadNode", "InstanceType"), "head_node.instance_type"),
        (FLAT, ("HeadNode", "Ssh", "KeyName"), "access.ssh_key"),
        (FLAT, ("Scheduling", "SlurmQueues", 0, "ComputeResources", 0, "InstanceType"), "queues[0].instance_type"),
        (FLAT, ("Scheduling", "SlurmQueues", 0, "ComputeResources", 0, "MaxCount"), "queues[0].nodes.max"),
        (
            LONG,
            ("Scheduling", "SlurmQueues", 1, "ComputeResources", 0, "InstanceType"),
            "queues[1].compute_resources[0].instance_type",
        ),
        (FLAT, ("Scheduling", "SlurmQueues", 0, "Name"), "queues[0].name"),
        (FLAT, ("SharedStorage", 2, "MountDir"), "file_systems[2].mount"),
        (FLAT, ("Something", "New"), ""),
        (FLAT, (), ""),
    ],
)
def test_a_place_in_cluster_yaml_leads_to_the_field_that_it_came_from(part: str, rendered: Path, expected: str):
    assert path_text(spec_path(spec_of(part), rendered)) == expected


@given(spec_texts())
def test_everything_that_is_ever_rendered_leads_somewhere_in_the_spec(text: str):
    spec = parse(text, "cluster.yaml").spec
    for path in leaves(render(spec, {}).documents["cluster.yaml"]):
        origin = spec_path(spec, path)
        assert origin, path_text(path)
        assert record_at(Spec, origin[:1]) is not None or origin[0] in set(Spec.field_names())
