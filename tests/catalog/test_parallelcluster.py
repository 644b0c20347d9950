"""What versions of ParallelCluster support."""

from __future__ import annotations

import pytest

from trainyard.catalog import instances, parallelcluster


def test_the_lines_are_listed_from_old_to_new():
    assert parallelcluster.known_versions() == ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14", "3.15", "3.16")


@pytest.mark.parametrize(
    ("os", "first", "last"),
    [
        ("centos7", "3.8", "3.9"),
        ("ubuntu2004", "3.8", "3.13"),
        ("alinux2", "3.8", "3.15"),
        ("rhel9", "3.9", "3.16"),
        ("alinux2023", "3.10", "3.16"),
        ("ubuntu2404", "3.13", "3.16"),
        ("ubuntu2204", "3.8", "3.16"),
    ],
)
def test_an_operating_system_is_supported_from_one_line_to_another(os, first, last):
    lines = parallelcluster.known_versions()
    supporting = [line for line in lines if os in (parallelcluster.supported_oses(line) or ())]
    assert supporting == list(lines[lines.index(first) : lines.index(last) + 1])


def test_the_line_decides_and_not_the_patch():
    assert parallelcluster.supported_oses("3.16.3") == parallelcluster.supported_oses("3.16.1") is not None


@pytest.mark.parametrize("version", ["3.7.2", "3.160.1", "2.11.9", "3", "", "3.16.1rc1", "../3.16", "latest"])
def test_an_unknown_version_is_none(version):
    assert parallelcluster.supported_oses(version) is None


def test_system_directories_are_reserved_and_usual_mounts_are_not():
    reserved = parallelcluster.reserved_mounts()
    assert {"/opt", "/opt/slurm", "/opt/parallelcluster/shared", "/tmp", "/usr"} <= set(reserved)
    assert not {"/fsx", "/home", "/apps", "/opt/amazon"} & set(reserved)


@pytest.mark.parametrize(("family", "line"), [("p6-b200", "3.14"), ("p6e-gb200", "3.14"), ("p6-b300", "3.15")])
def test_a_new_family_has_its_first_line(family, line):
    assert parallelcluster.first_line_with(family) == line


def test_a_family_that_every_known_line_supports_has_no_first_line():
    assert parallelcluster.first_line_with("p5") is None


@pytest.mark.parametrize(
    ("version", "older"), [("3.9.3", True), ("3.14.2", True), ("3.15.0", False), ("3.16.1", False), ("3.7.2", False)]
)
def test_a_version_is_older_by_its_numbers_and_an_unknown_one_never(version, older):
    assert parallelcluster.is_older(version, "3.15") is older


def test_asking_about_parallelcluster_reads_no_instance_type():
    instances._family.cache_clear()
    parallelcluster.reserved_mounts()
    assert instances._family.cache_info().currsize == 0
