"""What a version of ParallelCluster accepts, against the code of that version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.catalog.parallelcluster_golden import VERSIONS
from tests.each_case import each_case
from trainyard.catalog import parallelcluster
from trainyard.catalog.parallelcluster import limits
from trainyard.catalog.parallelcluster_records import Limits

UNKNOWN = ["3.7.2", "3.17.0", "3.160.1", "2.11.9", "3", "", "3.16.1rc1", "../3.16", "latest"]


def _limits(version: str) -> Limits:
    found = limits(version)
    assert found is not None
    return found


def _unsupported(package: dict[str, Any], architecture: str) -> set[str]:
    return set(package["SUPPORTED_OSES"]) - set(package["dcv"][architecture])


# Limit, ours, the package's.
LIMITS: dict[str, tuple[Callable[[Limits], Any], Callable[[dict[str, Any]], Any]]] = {
    "cluster name with accounting": (
        lambda t: t.max_cluster_name_with_accounting,
        lambda p: p["PCLUSTER_NAME_MAX_LENGTH_SLURM_ACCOUNTING"],
    ),
    "slurmdbd": (lambda t: t.slurmdbd_is_accounting, lambda p: p["slurmdbd shortens the name"]),
    "queues": (lambda t: t.max_queues, lambda p: p["MAX_NUMBER_OF_QUEUES"]),
    "compute resources": (
        lambda t: t.max_compute_resources,
        lambda p: p["MAX_NUMBER_OF_COMPUTE_RESOURCES_PER_CLUSTER"],
    ),
    "compute resources of a queue": (
        lambda t: t.max_compute_resources_per_queue,
        lambda p: p["MAX_COMPUTE_RESOURCES_PER_QUEUE"],
    ),
    "login pools": (lambda t: t.max_login_pools, lambda p: p["MAX_NUMBER_OF_LOGIN_NODE_POOLS"]),
    "tags": (lambda t: t.max_tags, lambda p: p["MAX_TAGS_COUNT"]),
    "EBS": (lambda t: t.max_ebs, lambda p: p["MAX_EBS_COUNT"]),
    "new storage": (
        lambda t: {"efs": t.max_new_efs, "fsx": 1, "raid": 1},
        lambda p: p["MAX_NEW_STORAGE_COUNT"],
    ),
    "existing storage": (
        lambda t: {"efs": t.max_existing_efs, "fsx": t.max_existing_fsx, "raid": 0},
        lambda p: p["MAX_EXISTING_STORAGE_COUNT"],
    ),
    "logs": (lambda t: list(t.log_retention_days), lambda p: p["schema"]["retention_in_days"]),
    "timeout": (lambda t: t.default_bootstrap_timeout_s, lambda p: p["NODE_BOOTSTRAP_TIMEOUT"]),
    "DCV on x86_64": (lambda t: set(t.dcv_unsupported_oses["x86_64"]), lambda p: _unsupported(p, "x86_64")),
    "DCV on arm64": (lambda t: set(t.dcv_unsupported_oses["arm64"]), lambda p: _unsupported(p, "arm64")),
    "GB200": (
        lambda t: list(t.unsupported_oses.get("p6e-gb200", ())),
        lambda p: p["UNSUPPORTED_OSES_FOR_P6E_GB200"] or [],
    ),
    "B300": (
        lambda t: list(t.unsupported_oses.get("p6-b300", ())),
        lambda p: p["UNSUPPORTED_OSES_FOR_P6_B300"] or [],
    ),
}


@each_case("limit", LIMITS)
@each_case("version", VERSIONS)
def test_a_limit_is_the_one_in_the_package(version, limit):
    ours, theirs = LIMITS[limit]
    assert ours(_limits(version)) == theirs(VERSIONS[version])


@pytest.mark.parametrize("version", VERSIONS)
def test_the_operating_systems_are_those_of_the_package(version):
    assert list(parallelcluster.supported_oses(version) or ()) == VERSIONS[version]["SUPPORTED_OSES"]


@pytest.mark.parametrize("version", parallelcluster.known_versions())
def test_every_known_line_has_limits(version):
    assert _limits(version).max_queues


def test_the_line_decides_and_not_the_patch():
    assert limits("3.16.3") is limits("3.16.1") is not None


@pytest.mark.parametrize("version", UNKNOWN)
def test_an_unknown_version_has_no_limits(version):
    assert limits(version) is None


def test_the_default_name_is_forbidden():
    assert _limits("3.16.1").forbidden_names == ("default",)


def test_the_nodes_of_a_kind_are_limited_by_slurm_and_not_by_parallelcluster():
    assert _limits("3.16.1").max_nodes == 64 * 1024
