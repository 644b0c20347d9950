"""Versions that must not meet, each with what is just beside it."""

from __future__ import annotations

import pytest

from tests.rules.found import problems
from trainyard.catalog.version_conflicts import version_conflicts

RULE = "version-conflict"
GB200 = """\
region: us-east-1
network: {availability_zone: us-east-1a}
queues:
  - {name: gb, instance_type: p6e-gb200.36xlarge, nodes: 18, capacity: {capacity_block: cr-0123456789abcdef0}}
"""


def judged(part: str) -> list[tuple[str | None, str]]:
    """Return severity and the place of each problem."""
    return [(problem.severity, ".".join(str(step) for step in problem.path)) for problem in problems(RULE, part)]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("3.14.2", []),
        ("3.15.1", []),
        ("3.16.0", [("warning", "parallelcluster.version")]),
        ("3.16.1", [("warning", "parallelcluster.version")]),
        ("3.16.2", [("error", "parallelcluster.version")]),
        ("3.16.3", [("error", "parallelcluster.version")]),
        ("9.9.9", []),
    ],
)
def test_images_with_r595_are_found_on_grace_blackwell(version, expected):
    assert judged(f"{GB200}parallelcluster: {{version: {version}}}\n") == expected


def test_the_type_is_the_place_where_the_version_is_a_default():
    (problem,) = problems(RULE, GB200)
    assert problem.path == ("queues", 0, "instance_type")
    assert "from 580.126.20 to 595.71.05 in the images of ParallelCluster 3.16.1" in problem.message
    assert "p6e-gb200.36xlarge" in problem.message


def test_a_case_has_a_source_of_its_own():
    (problem,) = problems(RULE, f"{GB200}parallelcluster: {{version: 3.16.3}}\n")
    assert problem.source == "https://github.com/NVIDIA/aicr/issues/2383"


@pytest.mark.parametrize(
    "part",
    [
        GB200.replace("nodes: 18", "nodes: 18, efa: false"),
        GB200.replace("nodes: 18", "nodes: 18, ami: ami-0123456789abcdef0"),
        f"{GB200}image: {{ami: ami-0123456789abcdef0}}\n",
        GB200.replace("p6e-gb200.36xlarge", "p6-b200.48xlarge"),
    ],
)
def test_other_types_own_images_and_nodes_without_efa_are_not_judged(part):
    assert judged(f"{part}parallelcluster: {{version: 3.16.3}}\n") == []


@pytest.mark.parametrize(
    ("software", "expected"),
    [
        ("nccl: {version: 2.28.2-1}", []),
        ("nccl: {version: 2.28.3-1}", [("info", "software.nccl.version")]),
        ("nccl: {version: v2.28.8-1}", [("info", "software.nccl.version")]),
        ("nccl: {version: 2.28.9-1}", []),
        ("nccl: {version: 2.20.3-1}, efa_version: 1.28.0", [("error", "software.efa_version")]),
        ("nccl: {version: 2.18.5-1}, efa_version: 1.28.0", []),
        ("nccl: {version: 2.19.3-1}, efa_version: 1.29.0", [("info", "software.nccl.version")]),
        ("nccl: {version: 2.19.5-1}, efa_version: 1.29.0", []),
        ("nccl: {version: 2.30.4-1}, efa_version: 1.9.1", [("error", "software.efa_version")]),
        ("nccl: {version: 2.30.4-1, ofi_version: 1.14.1}", []),
        ("nccl: {version: 2.30.4-1, ofi_version: 1.14.2}", [("info", "software.nccl.ofi_version")]),
        ("nccl: {version: 2.30.4-1, ofi_version: v1.17.2-aws}", [("info", "software.nccl.ofi_version")]),
        ("nccl: {version: 2.30.4-1, ofi_version: 1.19.2}", []),
    ],
)
def test_written_versions_are_judged_at_the_edges_of_their_ranges(software, expected):
    p5 = "queues:\n  - {name: gpu, instance_type: p5.48xlarge, nodes: 2}\n"
    assert judged(f"{p5}software: {{setup: gpu, {software}}}\n") == expected


def test_dma_buf_is_a_matter_of_gpus_and_of_old_generations_of_efa():
    software = "software: {setup: gpu, nccl: {version: 2.30.4-1, ofi_version: 1.17.2}}\n"
    for instance_type in ("p6-b200.48xlarge", "hpc7a.96xlarge", "g5.xlarge"):
        assert judged(f"queues:\n  - {{name: gpu, instance_type: {instance_type}, nodes: 2}}\n{software}") == []


def test_what_the_image_brings_is_new_enough_for_nccl():
    for version in ("3.8.0", "3.12.0", "3.16.3"):
        part = f"software: {{setup: gpu, nccl: {{version: 2.30.4-1}}}}\nparallelcluster: {{version: {version}}}\n"
        assert judged(part) == []


def test_our_own_manifests_have_a_device_plugin_that_knows_p6_b200():
    part = "platform: eks\nqueues:\n  - {name: gpu, instance_type: p6-b200.48xlarge, nodes: 2}\n"
    assert judged(part) == []
    assert "efa-device-plugin" in version_conflicts()["efa-device-plugin-on-p6-b200"].components
