"""How ParallelCluster's official images are called."""

from __future__ import annotations

import pytest

from trainyard.catalog import parallelcluster_images
from trainyard.catalog.parallelcluster import known_versions, supported_oses


def test_the_name_of_an_image_says_version_system_and_architecture():
    name = parallelcluster_images.image_name("ubuntu2204", "x86_64", "3.16.1")
    assert name == "aws-parallelcluster-3.16.1-ubuntu-2204-lts-hvm-x86_64*"


@pytest.mark.parametrize("line", ["3.14", "3.15", "3.16"])
def test_every_system_of_a_current_line_is_known(line):
    assert line in known_versions()
    for os in supported_oses(f"{line}.0") or ():
        assert parallelcluster_images.official_image(os) is not None


def test_rocky_linux_has_no_official_image():
    published = {os: parallelcluster_images.official_image(os) for os in ("rocky9", "rhel9")}
    assert [image is not None and image.published for image in published.values()] == [False, True]


def test_only_red_hat_needs_a_reservation_for_red_hat():
    platforms = {}
    for os in ("alinux2023", "ubuntu2204", "ubuntu2404", "rhel8", "rhel9", "rocky8", "rocky9"):
        image = parallelcluster_images.official_image(os)
        assert image is not None
        platforms[os] = image.reservation_platform
    assert {os for os, platform in platforms.items() if platform != "Linux/UNIX"} == {"rhel8", "rhel9"}


def test_an_unknown_system_has_no_name():
    assert parallelcluster_images.image_name("plan9", "x86_64", "3.16.1") is None
