"""The nodes of a lab are those that ParallelCluster would make, by its names, in its queues, with the spec's GPUs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.program import run
from trainyard.lab.lab_node import LabNode, lab_nodes
from trainyard.lab.slurm_conf import LabPlace, files
from trainyard.spec.parsing import parse

SPEC = """\
kind: cluster
name: llm
platform: parallelcluster
region: us-east-2
network: {availability_zone: us-east-2a}
head_node: {instance_type: m5.2xlarge}
queues:
  - {name: gpu, instance_type: p5.48xlarge, nodes: {min: 2, max: 5}}
  - {name: cpu, instance_type: m5.4xlarge, nodes: {min: 0, max: 3}}
"""
PLACE = LabPlace("llm", Path("/lab"), "here", "ada", 17000, 60)


@pytest.fixture(scope="module")
def nodes() -> tuple[LabNode, ...]:
    spec = parse(SPEC, "cluster.yaml").spec
    return lab_nodes(spec)


def test_nodes_have_the_names_that_parallelcluster_gives_them(nodes: tuple[LabNode, ...]):
    assert [node.name for node in nodes] == [
        "gpu-st-p5-48xlarge-1", "gpu-st-p5-48xlarge-2", "gpu-dy-p5-48xlarge-1", "gpu-dy-p5-48xlarge-2",
        "gpu-dy-p5-48xlarge-3", "cpu-dy-m5-4xlarge-1", "cpu-dy-m5-4xlarge-2", "cpu-dy-m5-4xlarge-3",
    ]  # fmt: skip
    assert {(node.queue, node.cpus, node.gpus, node.gpu_model) for node in nodes} == {
        ("gpu", 96, 8, "h100"),
        ("cpu", 8, 0, ""),
    }


def test_fewer_nodes_of_each_kind_are_the_first_ones():
    spec = parse(SPEC, "cluster.yaml").spec
    names = [node.name for node in lab_nodes(spec, 3)]
    assert names[:3] == ["gpu-st-p5-48xlarge-1", "gpu-st-p5-48xlarge-2", "gpu-dy-p5-48xlarge-1"]
    assert names[3:] == ["cpu-dy-m5-4xlarge-1", "cpu-dy-m5-4xlarge-2", "cpu-dy-m5-4xlarge-3"]


def test_alike_nodes_stand_in_one_line_and_each_has_a_port(nodes: tuple[LabNode, ...]):
    written = files(PLACE, nodes)
    lines = [line for line in written["slurm.conf"].splitlines() if line.startswith("NodeName=")]
    assert [(line.split()[0], line.split()[3], line.split()[-1]) for line in lines] == [
        ("NodeName=gpu-st-p5-48xlarge-[1-2]", "Port=[17001-17002]", "State=UNKNOWN"),
        ("NodeName=gpu-dy-p5-48xlarge-[1-3]", "Port=[17003-17005]", "State=CLOUD"),
        ("NodeName=cpu-dy-m5-4xlarge-[1-3]", "Port=[17006-17008]", "State=CLOUD"),
    ]
    assert "SuspendExcNodes=gpu-st-p5-48xlarge-[1-2]\n" in written["slurm.conf"]
    assert "File=/lab/gpus/[0-7]\n" in written["gres.conf"]
    assert "cpu" not in written["gres.conf"]
    partitions = [line.split()[:3] for line in written["slurm.conf"].splitlines() if line.startswith("Partition")]
    assert [words[2] for words in partitions] == ["Default=YES", "Default=NO"]


@pytest.mark.enable_socket
def test_who_asks_for_a_lab_that_does_not_run_is_told_how_to_start_one(tmp_path: Path):
    variables = {**os.environ, "TRAINYARD_STATE": str(tmp_path)}
    for words in (("lab", "down"), ("lab", "break", "gpu-1")):
        done = run(*words, variables=variables)
        assert (done.status, "`trainyard lab up SPEC` starts one" in done.err) == (2, True)
    assert run("lab", "status", variables=variables).out == "no lab runs; `trainyard lab up SPEC` starts one\n"


ULTRASERVERS = """\
kind: cluster
name: gb
platform: parallelcluster
region: us-east-1
network: {availability_zone: us-east-1-dfw-2a}
head_node: {instance_type: m7g.4xlarge}
queues:
  - {name: train, instance_type: p6e-gb200.36xlarge, nodes: NODES, capacity: {capacity_block: cr-0123456789abcdef0}}
  - {name: cpu, instance_type: m7g.4xlarge, nodes: 1}
"""


@pytest.mark.parametrize(("count", "sizes"), [("9", [9]), ("18", [18]), ("36", [18, 18]), ("20", [18, 2])])
def test_nodes_of_an_ultraserver_are_a_block_where_slurm_has_blocks(count: str, sizes: list[int]):
    members = lab_nodes(parse(ULTRASERVERS.replace("NODES", count), "cluster.yaml").spec)
    written = files(PLACE._replace(has_blocks=True), members)
    blocks = [line for line in written["topology.conf"].splitlines() if line.startswith("BlockName=")]
    assert [line.count("train-st-") for line in blocks] == sizes
    assert f"BlockSizes={min(sizes)}\n" in written["topology.conf"]
    assert "TopologyPlugin=topology/block" in written["slurm.conf"]
    assert "topology" not in {name.partition(".")[0] for name in files(PLACE, members)}


def test_other_nodes_are_in_no_block(nodes: tuple[LabNode, ...]):
    assert "topology.conf" not in files(PLACE._replace(has_blocks=True), nodes)
