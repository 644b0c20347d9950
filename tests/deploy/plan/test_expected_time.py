"""How long a deployment will take."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.deploy.plan.expected_time import PlannedStage, expected_minutes

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
        ((OPENZFS,), None),
        ((EXISTING, "monitoring: {mode: amp-only}"), None),
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


def test_a_stage_that_nobody_measured_has_no_minutes():
    every = expected_minutes(spec_of(f"{OPENZFS}\nsoftware: {{setup: gpu}}"))
    assert [stage.name for stage in every if stage.minutes is None] == ["infrastructure"]


def test_the_stack_of_a_cluster_takes_what_it_took_others():
    assert stages()["cluster"].minutes == (8, 9)


@pytest.mark.parametrize("name", ["infrastructure", "cluster", "head-node", "compute-nodes"])
def test_every_estimate_has_a_source(name):
    stage = stages(LUSTRE, "software: {setup: gpu}")[name]
    assert all(source.url.startswith("https://") for source in stage.sources)
    assert stage.sources
