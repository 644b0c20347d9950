"""What FSx for OpenZFS offers, and where."""

from __future__ import annotations

import gzip
import json
import typing
from pathlib import Path

import botocore
import pytest

from trainyard.catalog.storage import (
    openzfs_deployment,
    openzfs_deployments,
    openzfs_refused,
)
from trainyard.catalog.storage_records import DeploymentType, OpenZfsDeployment

NAMES: tuple[str, ...] = typing.get_args(DeploymentType)


def _known(name: str) -> OpenZfsDeployment:
    open_zfs_deployment = openzfs_deployment(name)
    assert open_zfs_deployment is not None
    return open_zfs_deployment


def test_the_deployment_types_are_those_of_the_fsx_api():
    path = Path(botocore.__file__).parent / "data/fsx/2018-03-01/service-2.json.gz"
    shapes = json.loads(gzip.decompress(path.read_bytes()))["shapes"]
    assert set(shapes["OpenZFSDeploymentType"]["enum"]) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_deployment_type_has_sizes_and_throughputs(name):
    assert _known(name).size_gib == (64, 524288)
    assert list(_known(name).throughputs_mb_s) == sorted(set(_known(name).throughputs_mb_s))


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("SINGLE_AZ_1", 64, 4096),
        ("SINGLE_AZ_2", 160, 10240),
        ("SINGLE_AZ_HA_1", 128, 4096),
        ("SINGLE_AZ_HA_2", 160, 10240),
        ("MULTI_AZ_1", 160, 10240),
    ],
)
def test_a_deployment_type_offers_its_throughputs(name, least, most):
    throughputs = _known(name).throughputs_mb_s
    assert (throughputs[0], throughputs[-1]) == (least, most)


# https://github.com/awslabs/awsome-distributed-ai/issues/1097
@pytest.mark.parametrize("region", ["us-east-1", "us-east-2", "us-west-2", "eu-central-1", "eu-west-1", "eu-south-2"])
def test_regions_where_a_template_failed_have_only_the_second_ha_type(region):
    offered = openzfs_deployments(region)
    assert offered is not None
    assert "SINGLE_AZ_HA_2" in offered
    assert openzfs_refused(region) == {"SINGLE_AZ_HA_1"}


def test_osaka_has_only_the_first_generation():
    assert openzfs_deployments("ap-northeast-3") == frozenset({"SINGLE_AZ_1", "SINGLE_AZ_HA_1", "MULTI_AZ_1"})
    assert openzfs_refused("ap-northeast-3") == {"SINGLE_AZ_2", "SINGLE_AZ_HA_2"}


def test_of_some_regions_only_a_refusal_is_known():
    assert openzfs_deployments("eu-west-2") is None
    assert openzfs_refused("eu-west-2") == {"SINGLE_AZ_HA_2"}


@pytest.mark.parametrize("region", ["eu-north-1", "cn-north-1", "mars-1", ""])
def test_a_region_without_facts_offers_and_refuses_nothing_for_certain(region):
    assert openzfs_deployments(region) is None
    assert openzfs_refused(region) == frozenset()


def test_an_unknown_deployment_type_is_none():
    assert openzfs_deployment("SINGLE_AZ_3") is None
