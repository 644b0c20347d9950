"""Which assets the nodes of a spec install, by what the spec asks of which nodes."""

from __future__ import annotations

import pytest

from tests.specs import spec_of
from trainyard.architectures import all_architectures
from trainyard.render.needed_assets import NeededAsset, needed_assets
from trainyard.spec.parsing import parse

P5 = "queues: [{name: q, instance_type: p5.48xlarge}]\n"
TRN = "queues: [{name: q, instance_type: trn1.32xlarge}]\n"
GB200 = "queues: [{name: q, instance_type: p6e-gb200.36xlarge}]\n"
ARM_HEAD = "head_node: {instance_type: hpc7g.16xlarge}\n"


def names(part: str) -> list[str]:
    return [str(needed_asset) for needed_asset in needed_assets(spec_of(part))]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (P5, []),
        (P5 + "software: {setup: gpu}", []),
        (P5 + "software: {setup: gpu, efa_version: 1.47.0}", ["efa-installer 1.47.0"]),
        (P5 + "software: {setup: none, efa_version: 1.47.0}", []),
        (P5 + "software: {setup: cpu, containers: true}", ["docker on x86_64"]),
        (P5 + "software: {setup: gpu, containers: true}",
         ["docker on x86_64", "nvidia-container-toolkit for ubuntu2204 on x86_64"]),
        (P5 + "software: {setup: gpu}\nmonitoring: {mode: amp-only}",
         ["dcgm-exporter for ubuntu2204 on x86_64", "node-exporter on x86_64", "prometheus on x86_64"]),
        (P5 + "software: {setup: gpu}\nmonitoring: {mode: amp-only}\nimage: {os: alinux2023}",
         ["dcgm-exporter for alinux2023 on x86_64", "node-exporter on x86_64", "prometheus on x86_64"]),
        (P5 + "monitoring: {mode: amp-only}", ["node-exporter on x86_64", "prometheus on x86_64"]),
        (TRN + "software: {setup: neuron}", ["neuron for ubuntu2204 on x86_64"]),
        (P5 + "software: {setup: gpu, nccl: {version: 2.28.7-1}}", ["nccl 2.28.7-1", "nccl-tests 2.17.6"]),
        (P5 + "software: {setup: gpu, nccl: {version: 2.28.7-1, ofi_version: 1.21.1}}",
         ["aws-ofi-nccl 1.21.1", "nccl 2.28.7-1", "nccl-tests 2.17.6"]),
    ],
    ids=lambda value: value.replace("\n", " ") if isinstance(value, str) else "",
)  # fmt: skip
def test_a_spec_needs_what_its_steps_fetch(part, expected):
    assert names(part) == expected


def test_a_queue_with_a_setup_of_its_own_counts():
    queues = "queues: [{name: a, instance_type: p5.48xlarge, setup: gpu}, {name: b, instance_type: m5.large}]\n"
    assert names(queues + "software: {containers: true}") == [
        "docker on x86_64", "nvidia-container-toolkit for ubuntu2204 on x86_64",
    ]  # fmt: skip


def test_every_architecture_that_a_node_has_is_needed():
    measured = "monitoring: {mode: amp-only}"
    exporters = ["node-exporter on aarch64", "node-exporter on x86_64"]
    assert names(GB200 + measured) == [*exporters, "prometheus on x86_64"]
    assert names(GB200 + ARM_HEAD + measured) == ["node-exporter on aarch64", "prometheus on aarch64"]
    assert names(GB200 + "software: {containers: true}") == ["docker on aarch64"]


def test_login_nodes_count_too():
    login = "login_nodes: {instance_type: m5.large}\n"
    assert names(GB200 + ARM_HEAD + login + "monitoring: {mode: amp-only}") == [
        "node-exporter on aarch64", "node-exporter on x86_64", "prometheus on aarch64",
    ]  # fmt: skip


def test_nodes_of_one_kind_can_have_two_architectures():
    pools = "login_nodes: [{name: a, instance_type: m5.large}, {name: b, instance_type: hpc7g.16xlarge}]\n"
    found = names(GB200 + ARM_HEAD + pools + "monitoring: {mode: amp-only}")
    assert found == ["node-exporter on aarch64", "node-exporter on x86_64", "prometheus on aarch64"]


def test_a_type_that_nobody_knows_has_the_architecture_of_the_others():
    unknown = "queues: [{name: q, instance_type: trn3.48xlarge, setup: gpu}]\n"
    assert "dcgm-exporter for ubuntu2204 on aarch64" in names(unknown + ARM_HEAD + "monitoring: {mode: amp-only}")


def test_a_head_node_that_the_catalog_does_not_know_is_no_graviton():
    head = "head_node: {instance_type: t3.micro}\n"
    assert "node-exporter on x86_64" in names(GB200 + head + "monitoring: {mode: amp-only}")


def test_a_graviton_that_the_catalog_does_not_know_is_no_x86():
    graviton = "queues: [{name: q, instance_type: c8gn.48xlarge, setup: cpu}]\nhead_node: {instance_type: m8g.large}\n"
    assert names(graviton + "software: {containers: true}") == ["docker on aarch64"]


def test_an_operating_system_that_nothing_is_published_for_is_named_all_the_same():
    part = P5 + "software: {setup: gpu}\nmonitoring: {mode: amp-only}\nimage: {os: rhel9}"
    assert NeededAsset("dcgm-exporter", None, "rhel9", "x86_64") in needed_assets(spec_of(part))


def test_platforms_without_these_steps_need_nothing():
    assert needed_assets(spec_of("platform: eks\nmonitoring: {mode: amp-only}")) == ()


@pytest.mark.parametrize("architecture", all_architectures(), ids=lambda one: one.name)
def test_what_an_architecture_needs_is_sorted_and_each_thing_once(architecture):
    found = needed_assets(parse(architecture.text, "cluster.yaml").spec)
    assert len({(needed_asset.name, needed_asset.os, needed_asset.arch) for needed_asset in found}) == len(found)
    assert [needed_asset.name for needed_asset in found] == sorted(needed_asset.name for needed_asset in found)


def test_a_monitoring_instance_needs_its_programs_for_its_own_system_and_processor():
    arm = "head_node: {instance_type: m7g.large}\nqueues: [{name: q, instance_type: c7g.large}]\n"
    found = {str(needed_asset) for needed_asset in needed_assets(spec_of(f"{arm}monitoring: {{mode: self-hosting}}"))}
    assert {"alertmanager on x86_64", "grafana on x86_64", "prometheus on x86_64", "prometheus on aarch64"} <= found


@pytest.mark.parametrize(("mode", "count"), [("self-hosting", 3), ("amp-only", 0)])
def test_an_environment_needs_what_its_monitoring_instance_installs_and_nothing_else(mode: str, count: int):
    text = f"kind: environment\nname: shared\nregion: us-east-2\nmonitoring: {{mode: {mode}}}\n"
    assert len(needed_assets(parse(text, "shared.yaml").spec)) == count
