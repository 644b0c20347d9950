"""Settings of Slurm that ParallelCluster refuses, against the code of each version."""

from __future__ import annotations

import pytest

from tests.catalog.parallelcluster_golden import VERSIONS
from trainyard.catalog import parallelcluster
from trainyard.catalog.parallelcluster import refused_settings

LEVELS = {"cluster": "SlurmConf", "queue": "Queue", "compute_resource": "ComputeResource"}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("version", VERSIONS)
def test_the_refused_settings_are_those_of_the_package(version, level):
    theirs = VERSIONS[version]["SLURM_SETTINGS_DENY_LIST"][LEVELS[level]]
    assert refused_settings(version, level) == frozenset(theirs["Global"])
    with_accounting = frozenset([*theirs["Global"], *theirs.get("Accounting", ())])
    assert refused_settings(version, level, accounting=True) == with_accounting


@pytest.mark.parametrize("version", parallelcluster.known_versions())
def test_a_prolog_is_refused_and_a_limit_for_jobs_is_not(version):
    refused = refused_settings(version, "cluster")
    assert refused is not None
    assert "prolog" in refused
    assert "maxjobcount" not in refused


def test_accounting_settings_are_refused_only_with_accounting():
    without, with_it = (refused_settings("3.16.1", "cluster", accounting=accounting) for accounting in (False, True))
    assert without is not None
    assert with_it is not None
    assert with_it - without >= {"accountingstoragetype", "jobacctgathertype"}


def test_features_of_a_compute_resource_are_accepted_from_3_14_on():
    lines = parallelcluster.known_versions()
    refusing = [line for line in lines if "features" in (refused_settings(line, "compute_resource") or ())]
    assert refusing == list(lines[: lines.index("3.14")])


@pytest.mark.parametrize("version", ["3.7.2", "3.17.0", "", "latest"])
def test_nothing_is_known_of_an_unknown_version(version):
    assert refused_settings(version, "queue") is None
