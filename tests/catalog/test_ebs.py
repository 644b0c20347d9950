"""What EBS and ParallelCluster accept for a volume type."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import botocore
import pytest

from tests.catalog.parallelcluster_golden import VERSIONS
from tests.each_case import each_case
from trainyard.catalog import storage
from trainyard.catalog.storage_records import EbsVolumeType

NAMES = ("gp3", "gp2", "io1", "io2", "st1", "sc1", "standard")


def _known(name: str) -> EbsVolumeType:
    ebs_volume_type = storage.ebs_volume_type(name)
    assert ebs_volume_type is not None
    return ebs_volume_type


def _api_text(parameter: str) -> str:
    path = Path(botocore.__file__).parent / "data/ec2/2016-11-15/service-2.json.gz"
    service: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    documentation = service["shapes"]["CreateVolumeRequest"]["members"][parameter]["documentation"]
    return re.sub(r"<[^>]+>|,", "", documentation)


def _range_in(text: str, name: str) -> tuple[int, int] | None:
    match = re.search(rf"{name}\b[^:]*: *(\d+)[^\d]*(\d+)", text)
    return None if match is None else (int(match[1]), int(match[2]))


@pytest.mark.parametrize("name", NAMES)
def test_size_and_iops_are_those_of_the_ec2_api(name):
    assert _known(name).size_gib == _range_in(_api_text("Size"), name)
    assert _known(name).iops == _range_in(_api_text("Iops"), name)


def test_the_throughput_of_gp3_is_that_of_the_ec2_api():
    assert _known("gp3").throughput_mib_s == _range_in(_api_text("Throughput"), "Range")
    assert {name for name in NAMES if _known(name).throughput_mib_s} == {"gp3"}


@pytest.mark.parametrize("version", VERSIONS)
def test_parallelcluster_takes_these_volume_types(version):
    assert set(VERSIONS[version]["volume_type"]) == set(NAMES)


@each_case("name", NAMES)
@each_case("version", VERSIONS)
def test_the_limits_of_parallelcluster_are_those_of_the_package(version, name):
    ours, theirs = _known(name).parallelcluster, VERSIONS[version]
    assert list(ours.size_gib) == theirs["EBS_VOLUME_TYPE_TO_VOLUME_SIZE_BOUNDS"][name]
    assert (list(ours.iops) if ours.iops else None) == theirs["EBS_VOLUME_IOPS_BOUNDS"].get(name)
    assert ours.max_iops_per_gib == theirs["EBS_VOLUME_TYPE_TO_IOPS_RATIO"].get(name)


def test_parallelcluster_has_not_followed_the_larger_gp3():
    gp3 = _known("gp3")
    assert (gp3.size_gib[1], gp3.iops, gp3.throughput_mib_s) == (65536, (3000, 80000), (125, 2000))
    theirs = gp3.parallelcluster
    assert (theirs.size_gib[1], theirs.iops, theirs.throughput_mib_s) == (16384, (3000, 16000), (125, 1000))
    assert gp3.max_throughput_mib_s_per_iops == theirs.max_throughput_mib_s_per_iops == 0.25


@pytest.mark.parametrize("name", NAMES)
def test_parallelcluster_accepts_nothing_that_ebs_refuses(name):
    ours, theirs = _known(name), _known(name).parallelcluster
    assert ours.size_gib[0] <= theirs.size_gib[0] <= theirs.size_gib[1] <= ours.size_gib[1]


def test_hard_disks_are_no_root_volumes():
    assert {name for name in NAMES if _known(name).bootable is False} == {"st1", "sc1"}


@pytest.mark.parametrize("name", ["gp4", "GP3", "", "../gp3"])
def test_an_unknown_volume_type_is_none(name):
    assert storage.ebs_volume_type(name) is None
