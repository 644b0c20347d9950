"""Which steps each kind of nodes takes, and what it is told of itself."""

from __future__ import annotations

from typing import Any

import pytest

from tests.specs import spec_of
from trainyard.bootstrap.steps import STEPS
from trainyard.render.nodes import node_plan, release_kinds, steps_of
from trainyard.render.stand_ins import Ids

LUSTRE = "file_systems: [{mount: /fsx, lustre: {size_gib: 4800, throughput_mb_s_per_tib: 250}}]\n"
EVERYTHING = f"""\
{LUSTRE}software:
  setup: gpu
  containers: true
  efa_version: 1.48.0
  nccl: {{version: 2.28.7-1}}
  container_images: ["nvcr.io#nvidia/pytorch:25.10-py3"]
monitoring: {{mode: amp-only}}
login_nodes: {{}}
queues:
  - {{name: train, instance_type: p6-b200.48xlarge}}
  - {{name: prepare, instance_type: m5.8xlarge, setup: cpu}}
"""


BLOCK = """\
queues: [{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f60718}}]
"""


def names(part: str) -> dict[str, list[str]]:
    spec = spec_of(part)
    return {name: [step.name for step in steps_of(spec, kind)] for name, kind in release_kinds(spec).items()}


def settings(part: str, node: str) -> dict[str, Any]:
    found: dict[str, Any] = node_plan(spec_of(part))["nodes"][node]["settings"]
    return found


def test_a_gpu_cluster_with_everything():
    assert names(EVERYTHING) == {
        "head": [
            "packages", "enroot-pyxis", "shared-layout", "cloudwatch", "node-package", "node-exporter",
            "node-metrics", "prometheus", "job-gate", "images",
        ],
        "login": ["packages", "imds", "enroot-pyxis", "shared-layout", "cloudwatch", "node-package", "node-exporter"],
        "queue/train": [
            "packages", "imds", "efa", "docker", "nvidia-toolkit", "enroot-pyxis", "fabric",
            "shared-layout", "cloudwatch", "node-package", "node-exporter", "dcgm-exporter", "node-metrics", "nccl",
        ],
        "queue/prepare": [
            "packages", "imds", "docker", "enroot-pyxis", "shared-layout", "cloudwatch", "node-package",
            "node-exporter", "node-metrics",
        ],
    }  # fmt: skip


@pytest.mark.parametrize(("instance_type", "minutes"), [("p5.48xlarge", 30), ("p6e-gb200.36xlarge", 60)])
def test_the_head_node_of_a_cluster_with_a_block_looks_when_it_ends(instance_type: str, minutes: int):
    block = "{capacity_block: cr-0a1b2c3d4e5f60718}"
    gpu = f"{{name: gpu, instance_type: {instance_type}, nodes: 2, capacity: {block}}}"
    part = f"queues: [{gpu}, {{name: cpu, instance_type: m5.large}}]"
    assert "block-end" in names(part)["head"]
    (group,) = (group for group in spec_of(part).node_groups() if group.queue.name == "gpu")
    assert settings(part, "head")["TRAINYARD_CAPACITY_BLOCKS"] == f"cr-0a1b2c3d4e5f60718:gpu:{group.name}:{minutes}"
    assert settings(part, "queue/gpu")["TRAINYARD_CAPACITY_BLOCKS"] == ""


@pytest.mark.parametrize("capacity", ["on-demand", "{reservation: cr-0a1b2c3d4e5f60718}"])
def test_without_a_block_no_head_node_looks(capacity: str):
    part = f"queues: [{{name: gpu, instance_type: p5.48xlarge, nodes: 2, capacity: {capacity}}}]"
    assert "block-end" not in names(part)["head"]


def test_nodes_that_only_report_metrics_install_no_packages():
    found = names("monitoring: {mode: amp-only, logs: false}\nqueues: [{name: q, instance_type: p5.48xlarge}]")
    assert found["queue/q"] == ["imds", "node-package", "node-exporter", "node-metrics"]


def test_metrics_of_the_agent_itself_take_no_program_of_ours():
    step = "cloudwatch-metrics"
    found = names("monitoring: {cloudwatch_metrics: [system, gpu]}\nqueues: [{name: q, instance_type: p5.48xlarge}]")
    assert step in found["queue/q"]
    assert step not in found["head"]
    assert step not in names("monitoring: {cloudwatch_metrics: [system]}")["head"]


def test_nodes_with_accelerators_are_looked_at_around_jobs():
    looked = {name: settings(EVERYTHING, name)["TRAINYARD_HEALTH_CHECKS"] for name in ("queue/train", "queue/prepare")}
    assert looked == {"queue/train": "1", "queue/prepare": "0"}
    off = "software: {setup: gpu, health_checks: false}\nqueues: [{name: q, instance_type: p5.48xlarge}]"
    assert settings(off, "queue/q")["TRAINYARD_HEALTH_CHECKS"] == "0"


def test_trainium_gets_its_own_software():
    found = names("software: {setup: neuron}\nqueues: [{name: q, instance_type: trn1.32xlarge}]")
    assert found["queue/q"] == ["packages", "imds", "efa", "neuron", "cloudwatch", "node-package"]


@pytest.mark.parametrize(
    ("instance_type", "fabric"),
    [
        ("p4d.24xlarge", "fabric-manager"),
        ("p5.48xlarge", "fabric-manager"),
        ("p5.4xlarge", "none"),
        ("p6-b200.48xlarge", "nvlsm"),
        ("p6-b300.48xlarge", "nvlsm"),
        ("g5.48xlarge", "none"),
    ],
)
def test_what_brings_up_the_nvswitches_follows_the_type(instance_type: str, fabric: str):
    part = f"software: {{setup: gpu}}\nqueues: [{{name: q, instance_type: {instance_type}}}]"
    assert settings(part, "queue/q")["TRAINYARD_FABRIC"] == fabric
    assert ("fabric" in names(part)["queue/q"]) == (fabric != "none")


@pytest.mark.parametrize(
    ("queue", "interfaces"),
    [
        ("instance_type: p5.48xlarge", "32"),
        ("instance_type: p6-b300.48xlarge", "16"),
        ("instance_type: p5.48xlarge, efa: false", "0"),
        ("instance_type: p9.48xlarge, efa: true", ""),
        ("compute_resources: [{instance_type: p5.48xlarge}, {instance_type: p5en.48xlarge}]", ""),
    ],
)
def test_a_node_knows_how_many_efa_interfaces_it_is_to_have(queue: str, interfaces: str):
    part = f"software: {{setup: gpu}}\nqueues: [{{name: q, {queue}}}]"
    assert settings(part, "queue/q")["TRAINYARD_EFA_INTERFACES"] == interfaces
    assert ("efa" in names(part)["queue/q"]) == (interfaces != "0")


def test_nodes_of_several_types_know_what_their_own_type_has():
    listed = ", ".join(f"{{instance_type: {name}}}" for name in ("p6-b200.48xlarge", "p5en.48xlarge", "g5.xlarge"))
    queue = f"compute_resources: [{listed}]"
    part = f"software: {{setup: gpu}}\nqueues: [{{name: q, {queue}}}]"
    types = node_plan(spec_of(part))["nodes"]["queue/q"]["types"]
    found = {name: (one["TRAINYARD_FABRIC"], one["TRAINYARD_EFA_INTERFACES"]) for name, one in types.items()}
    assert found == {
        "p6-b200.48xlarge": ("nvlsm", "8"),
        "p5en.48xlarge": ("fabric-manager", "16"),
        "g5.xlarge": ("none", "0"),
    }
    assert {"efa", "fabric"} <= set(names(part)["queue/q"])


def test_nccl_is_compiled_for_the_gpus_of_all_queues():
    queues = "queues: [{name: a, instance_type: p6-b200.48xlarge}, {name: b, instance_type: p4d.24xlarge}]"
    found = settings(f"{LUSTRE}{queues}\nsoftware: {{setup: gpu, nccl: {{version: 2.28.7-1}}}}", "head")
    assert found["TRAINYARD_CUDA_ARCHITECTURES"] == "80 100"
    assert found["TRAINYARD_SHARED"] == "/fsx"


ENDPOINT = "https://aps-workspaces.us-east-2.amazonaws.com/workspaces/ws-0a1b2c3d/"
RESERVED = """\
queues:
  - {name: a, instance_type: p5.48xlarge, capacity: {capacity_block: cr-0123456789abcdef0}}
  - {name: b, instance_type: p5.48xlarge, capacity: {reservation: cr-0123456789abcdef1}}
  - {name: c, instance_type: p5.48xlarge, capacity: {reservations: [cr-0123456789abcdef1, cr-0123456789abcdef2]}}
  - {name: d, instance_type: m5.large}
"""


def collecting(part: str, ids: Ids | None = None) -> dict[str, tuple[str, str, str]]:
    """Return what each kind of nodes is told of collecting metrics."""
    names = ("METRICS_WRITE_URL", "PROMETHEUS", "CAPACITY_RESERVATIONS")
    nodes = node_plan(spec_of(part), ids)["nodes"]
    return {
        kind: (found[f"TRAINYARD_{names[0]}"], found[f"TRAINYARD_{names[1]}"], found[f"TRAINYARD_{names[2]}"])
        for kind, found in ((kind, node["settings"]) for kind, node in nodes.items())
    }


def test_the_head_node_alone_is_told_where_metrics_go():
    ids = Ids({"AMPPrometheusEndpoint": ENDPOINT, "MonitoringInstancePrivateIp": "10.0.16.9"})
    found = collecting("monitoring: {mode: amp-only}\nlogin_nodes: {}", ids)
    assert found.pop("head") == (f"{ENDPOINT}api/v1/remote_write", "agent", "")
    assert set(found.values()) == {("", "", "")}
    assert ids.in_order() == ()
    hosted = collecting("monitoring: {mode: self-hosting}", ids)["head"]
    assert hosted == ("http://10.0.16.9:9090/api/v1/write", "server", "")


def test_a_plan_that_was_made_before_the_stacks_were_says_so():
    ids = Ids({})
    (url, _, _) = collecting("monitoring: {mode: amp-only}", ids)["head"]
    (stand_in,) = ids.in_order()
    assert (stand_in.output, stand_in.stack) == ("AMPPrometheusEndpoint", "monitoring")
    assert url == f"{stand_in.value}api/v1/remote_write"


def test_reservations_are_asked_for_once_each_and_only_where_metrics_are():
    named = " ".join(f"cr-0123456789abcdef{number}" for number in range(3))
    assert collecting(f"{RESERVED}monitoring: {{mode: amp-only}}")["head"][2] == named
    assert collecting(RESERVED)["head"][2] == ""


def test_settings_are_names_and_text_that_a_shell_file_can_hold():
    for kind in node_plan(spec_of(EVERYTHING))["nodes"].values():
        for name, value in kind["settings"].items():
            assert name.startswith("TRAINYARD_")
            assert "'" not in value
            assert "\n" not in value


def test_every_step_is_asked_for_by_some_spec():
    neuron = names("software: {setup: neuron}\nqueues: [{name: q, instance_type: trn1.32xlarge}]")
    metrics = names("monitoring: {cloudwatch_metrics: [slurm]}")
    keeper = names("monitoring: {mode: self-hosting}")
    gb200 = names("queues: [{name: q, instance_type: p6e-gb200.36xlarge}]")
    asked = {
        name
        for found in (names(EVERYTHING), neuron, metrics, keeper, gb200, names(BLOCK))
        for kind in found.values()
        for name in kind
    }
    assert {step.name for step in STEPS} == asked


def test_the_order_of_steps_is_that_of_their_numbers():
    numbers = [step.number for step in STEPS]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("monitoring: {mode: self-hosting}", True),
        ("monitoring: {mode: amp-only}", False),
        ("monitoring: {mode: self-hosting}\nenvironment: shared", False),
    ],
)
def test_only_a_spec_that_makes_a_monitoring_instance_has_its_steps(part: str, *, found: bool):
    steps = names(part).get("monitoring")
    assert steps == (
        ["node-package", "data-volume", "keeper", "alertmanager", "grafana", "alert-receivers"] if found else None
    )


@pytest.mark.parametrize(
    ("more", "url"),
    [
        ("", "http://localhost:3000/"),
        (
            ", certificate: 'arn:aws:acm:us-east-2:123456789012:certificate/1a2b'",
            "https://load-balancer-00000000000000001/",
        ),
    ],
)
def test_grafana_knows_by_which_address_people_reach_it(more: str, url: str):
    part = f"monitoring: {{mode: self-hosting{more}}}"
    assert settings(part, "monitoring")["TRAINYARD_GRAFANA_URL"] == url
    assert settings(part, "head")["TRAINYARD_GRAFANA_URL"] == ""


@pytest.mark.parametrize(("instance_type", "found"), [("p6e-gb200.36xlarge", True), ("p5.48xlarge", False)])
def test_ultraservers_get_an_imex_domain_for_each_job(instance_type: str, *, found: bool):
    part = f"queues: [{{name: train, instance_type: {instance_type}}}]\nsoftware: {{setup: gpu}}"
    assert ("imex" in names(part)["head"]) == found
