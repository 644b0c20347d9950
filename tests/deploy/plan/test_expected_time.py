"""How long a deployment will take."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.specs import spec_of
from trainyard import architectures
from trainyard.deploy.plan.expected_time import PlannedStage, expected_minutes
from trainyard.spec.parsing import parse

EXISTING = "network: {existing: {vpc: vpc-0123456789abcdef0, private_subnets: [subnet-0123456789abcdef0]}}"
LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]"
OPENZFS = "file_systems: [{mount: /home, openzfs: {size_gib: 64}}]"


def stages(*parts: str) -> dict[str, PlannedStage]:
    return {stage.name: stage for stage in expected_minutes(spec_of("\n".join(parts)))}


@pytest.mark.parametrize(
    ("parts", "minutes"),
    [
        ((), (5, 8)),
        ((LUSTRE,), (5, 10)),
        ((EXISTING, LUSTRE), (5, 10)),
        ((OPENZFS,), (5, 11)),
        ((EXISTING, OPENZFS), (9, 11)),
        ((EXISTING, "monitoring: {mode: amp-only}"), (1, 1)),
        ((EXISTING, "monitoring: {mode: amp+amg}"), (1, 4)),
        ((EXISTING, "monitoring: {mode: self-hosting}"), (5, 8)),
    ],
)
def test_network_file_systems_and_monitoring_take_what_was_measured_of_them(parts, minutes):
    assert stages(*parts)["infrastructure"].minutes == minutes


@pytest.mark.parametrize("part", [EXISTING, "environment: use2\nmonitoring: {mode: amp-only}"])
def test_a_cluster_that_needs_no_other_stack_has_no_such_stage(part: str):
    assert "infrastructure" not in stages(part)


@pytest.mark.parametrize(
    ("parts", "minutes"),
    [
        (("software: {setup: gpu, efa_version: 1.48.0}",), (7, 17)),
        (("software: {setup: gpu}",), (2, 7)),
        (("software: {setup: none}",), (2, 6)),
    ],
)
def test_nodes_that_always_run_take_as_long_as_their_set_up(parts, minutes):
    assert stages(*parts)["compute-nodes"].minutes == minutes


def test_the_slowest_set_up_counts_and_steps_that_nobody_measured_are_named():
    efa = "software: {efa_version: 1.48.0}"
    one, other = "{name: a, instance_type: p5.48xlarge, setup: gpu}", "{name: b, instance_type: m5.large, setup: cpu}"
    assert stages(efa, f"queues: [{one}, {other}]")["compute-nodes"].minutes == (7, 17)
    neuron = "{name: b, instance_type: trn1.32xlarge, setup: neuron}"
    assert "neuron" not in stages(f"queues: [{one}]")["compute-nodes"].not_counted
    assert "neuron" in stages(f"queues: [{one}, {neuron}]")["compute-nodes"].not_counted


def test_nodes_that_start_later_are_not_waited_for():
    assert "compute-nodes" not in stages("queues: [{name: q, instance_type: p5.48xlarge, nodes: {min: 0, max: 4}}]")


def test_no_stage_of_an_architecture_is_unknown():
    for file in sorted(Path(architectures.__file__).parent.glob("*.yaml")):
        spec = parse(file.read_text(), file.name).spec
        for mode in ("none", "self-hosting", "amp-only", "amp+amg"):
            every = expected_minutes(spec.replaced(monitoring=spec.monitoring.replaced(mode=mode)))
            assert [stage.name for stage in every if stage.minutes is None] == [], (file.name, mode)


def test_the_stack_of_batch_takes_what_compute_environments_took_others():
    assert stages("platform: batch")["cluster"].minutes == (2, 4)


def test_the_stack_of_a_cluster_takes_what_it_took_others():
    assert stages()["cluster"].minutes == (8, 9)


@pytest.mark.parametrize("name", ["infrastructure", "cluster", "head-node", "compute-nodes"])
def test_every_estimate_has_a_source(name):
    stage = stages(LUSTRE, "software: {setup: gpu}")[name]
    assert all(source.url.startswith("https://") for source in stage.sources)
    assert stage.sources
