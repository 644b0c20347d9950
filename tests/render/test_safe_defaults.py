"""What is safe without being asked for: what S3 keeps, how long nodes may take, and which nodes get no jobs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.architectures.by_platform import architectures_on
from tests.each_case import each_case
from tests.specs import spec_of
from trainyard.render.cloudformation.stacks import stack
from trainyard.render.nodes import node_kinds, steps_of
from trainyard.render.rendering import render
from trainyard.render.stand_ins import Ids
from trainyard.spec.cluster import Spec
from trainyard.spec.parsing import parse

ARCHITECTURES = [
    pytest.param(parse(one.text, one.name).spec, id=one.name) for one in architectures_on("parallelcluster")
]
SHARED_FOLDERS = ("nccl", "containers", "software", "logs")
# The default of ParallelCluster itself.
# https://docs.aws.amazon.com/parallelcluster/latest/ug/DevSettings-cluster-v3.html
LEAST_TIMEOUT_S = 2100


def storage(lustre: str) -> dict[str, str]:
    return dict(stack(spec_of(f"file_systems: [{{mount: /fsx, lustre: {lustre}}}]"), "storage", Ids({})).parameters)


@pytest.mark.parametrize("spec", ARCHITECTURES)
def test_no_architecture_lets_a_bucket_lose_or_take_what_nobody_meant_for_it(spec: Spec):
    for file_system in spec.file_systems:
        for link in file_system.lustre.links if file_system.lustre else ():
            assert link.auto_export == ()
            first = link.directory.strip("/").partition("/")[0]
            assert first not in ("", *SHARED_FOLDERS)


def test_a_bucket_is_read_below_a_path_of_its_own_and_never_written():
    written = storage("{size_gib: 1200, throughput_mb_s_per_tib: 125, data_repository: s3://sets}")
    assert (written["DataPath"], written["AutoImport"], written["AutoExport"]) == ("/data", "NEW,CHANGED,DELETED", "")


@pytest.mark.parametrize("spec", ARCHITECTURES)
def test_no_architecture_waits_shorter_than_parallelcluster_does_by_itself(spec: Spec):
    timeouts: dict[str, int] = render(spec, {}).documents["cluster.yaml"]["DevSettings"]["Timeouts"]
    assert len(timeouts) == 2
    assert min(timeouts.values()) >= LEAST_TIMEOUT_S


@pytest.mark.parametrize("spec", ARCHITECTURES)
def test_nodes_with_accelerators_are_asked_how_they_are_in_every_architecture(spec: Spec):
    scheduling: dict[str, Any] = render(spec, {}).documents["cluster.yaml"]["Scheduling"]
    asked = {key for setting in scheduling["SlurmSettings"].get("CustomSlurmSettings", ()) for key in setting}
    gates = {
        name for name, kind in node_kinds(spec).items() if "job-gate" in [one.name for one in steps_of(spec, kind)]
    }
    installs = spec.software.setup in ("gpu", "neuron")  # with setup none, trainyard leaves the nodes alone
    assert ("HealthCheckProgram" in asked) == installs
    assert not installs or "head" in gates


@each_case(
    ("lustre", "expected"),
    [
        (
            "{size_gib: 38400, throughput_mb_s_per_tib: 125, efa: true}",
            {"LustreEfa": "true", "MetadataIops": "automatic"},
        ),
        ("{size_gib: 4800, throughput_mb_s_per_tib: 125, metadata_iops: 6000}", {"MetadataIops": "6000"}),
        (
            "{intelligent_tiering: {throughput_mb_s: 8000, read_cache_gib: 0}}",
            {"TieringThroughput": "8000", "ReadCacheGiB": "0", "MetadataIops": "6000", "Capacity": ""},
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_lustre_is_asked_for_efa_metadata_and_tiering(lustre: str, expected: dict[str, str]):
    assert expected.items() <= storage(lustre).items()
