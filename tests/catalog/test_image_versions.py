"""The EFA installer of ParallelCluster's official images, as far as its release notes say it."""

from __future__ import annotations

import pytest

from trainyard.catalog import catalog_file
from trainyard.catalog.by_version import number_of
from trainyard.catalog.parallelcluster import VersionRange, known_versions, version_in_images

NAMED = sorted(
    catalog_file.content(catalog_file.FOLDER / "image_versions.yaml")["components"]["efa-installer"], key=number_of
)


@pytest.mark.parametrize(
    ("version", "installer"),
    [
        ("3.8.0", "1.29.1"),
        ("3.9.0", "1.30.0"),
        ("3.10.0", "1.32.0"),
        ("3.11.0", "1.34.0"),
        ("3.12.0", "1.36.0"),
        ("3.13.0", "1.38.1"),
        ("3.13.1", "1.41.0"),
        ("3.14.0", "1.43.2"),
        ("3.15.0", "1.47.0"),
        ("3.15.1", "1.47.0"),
        ("3.16.2", "1.49.0"),
        ("3.16.3", "1.51.0"),
    ],
)
def test_what_release_notes_say_is_known_exactly(version, installer):
    assert version_in_images("efa-installer", version) == VersionRange(installer, installer)


@pytest.mark.parametrize(
    ("version", "least", "most"),
    [
        ("3.8.1", "1.29.1", "1.30.0"),
        ("3.9.3", "1.30.0", "1.32.0"),
        ("3.10.1", "1.32.0", "1.34.0"),
        ("3.11.1", "1.34.0", "1.34.0"),
        ("3.13.2", "1.41.0", "1.41.0"),
        ("3.14.2", "1.43.2", "1.47.0"),
        ("3.16.0", "1.47.0", "1.49.0"),
        ("3.16.1", "1.47.0", "1.49.0"),
        ("3.16.4", "1.51.0", None),
    ],
)
def test_in_between_it_is_at_least_the_last_one_and_at_most_what_the_next_one_found(version, least, most):
    assert version_in_images("efa-installer", version) == VersionRange(least, most)


@pytest.mark.parametrize("version", ["3.7.2", "9.9.9", "2.11.9"])
def test_nothing_is_said_of_versions_that_the_catalog_does_not_know(version):
    assert version_in_images("efa-installer", version) is None


@pytest.mark.parametrize("patch", range(4))
@pytest.mark.parametrize("line", known_versions())
def test_no_version_lies_between_two_that_are_the_wrong_way_round(line, patch):
    installer_range = version_in_images("efa-installer", f"{line}.{patch}")
    if installer_range is not None and installer_range.most is not None:
        assert number_of(installer_range.least) <= number_of(installer_range.most)
