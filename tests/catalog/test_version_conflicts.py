"""The table of versions that must not meet, and how versions are compared with it."""

from __future__ import annotations

import json

import pytest

from tests.each_case import each_case
from trainyard.catalog import catalog_file
from trainyard.catalog.by_version import number_of as line_number
from trainyard.catalog.parallelcluster import VersionRange, known_versions, version_in_images
from trainyard.catalog.version_conflicts import is_within, source_url, version_conflicts


@pytest.mark.parametrize(
    ("least", "most", "within", "expected"),
    [
        ("2.28.7-1", "2.28.7-1", ("2.28.3", "2.28.9"), "yes"),
        ("2.28.10-1", "2.28.10-1", ("2.28.3", "2.28.9"), "no"),
        ("2.28.9-1", "2.28.9-1", ("2.28.3", "2.28.9"), "no"),
        ("2.28.3", "2.28.3", ("2.28.3", "2.28.9"), "yes"),
        ("580.126.20", "595.71.05", ("595", None), "maybe"),
        ("595.71.05", None, ("595", None), "yes"),
        ("580.126.20", None, ("595", None), "maybe"),
        ("1.28.0", None, (None, "1.29"), "maybe"),
        ("1.29.0", None, (None, "1.29"), "no"),
        ("1.9.1", "1.9.1", (None, "1.29"), "yes"),
        ("1.27.0", "1.30.0", ("1.28.0", "1.29.0"), "maybe"),
        ("0.1", "99.0", (None, None), "yes"),
    ],
)
def test_a_version_is_within_bounds_beside_them_or_nobody_knows(least, most, within, expected):
    file = {"sources": {}, "version_conflicts": {"case": row(least=within[0], below=within[1])}}
    conflicts = catalog_file.validated(file).version_conflicts or {}
    assert is_within(VersionRange(least, most), conflicts["case"].components["nccl"]) == expected


def row(**of_nccl: str | None) -> dict[str, object]:
    """Return a case as the file has it, for a range of NCCL."""
    return {
        "components": {"nccl": {key: value for key, value in of_nccl.items() if value is not None}},
        "severity": "info",
        "confidence": "certain",
        "evidence": "vendor",
        "effect": "it fails",
        "remedy": "write another",
        "source": "source",
    }


@each_case("name", tuple(version_conflicts()))
def test_every_case_has_a_source_that_its_file_describes_and_a_range(name):
    conflict = version_conflicts()[name]
    assert source_url(conflict).startswith("https://")
    assert conflict.unequal or any(one.least or one.below for one in conflict.components.values())
    assert len(conflict.components) <= 2  # what completes a set asks each component of a pair about the other


def test_every_source_of_a_case_is_used():
    file = json.loads((catalog_file.FOLDER / "version_conflicts.json").read_bytes())
    assert {case["source"] for case in file["version_conflicts"].values()} == set(file["sources"])


def test_no_release_of_parallelcluster_has_the_slurm_that_loses_nodes():
    within = version_conflicts()["exclusive-topology-on-slurm-25.11"].components["slurm"]
    exact = [version_in_images("slurm", f"{line}.{patch}") for line in known_versions() for patch in range(4)]
    assert not any(is_within(one, within) == "yes" for one in exact if one is not None)


@pytest.mark.parametrize("component", ["efa-installer", "nvidia-driver", "slurm"])
def test_what_images_have_never_goes_back(component):
    data = catalog_file.content(catalog_file.FOLDER / "image_versions.yaml")["components"][component]
    known = [version_in_images(component, release) for release in sorted(data, key=line_number)]
    numbers = [[int(part) for part in one.least.split(".")] for one in known if one is not None]
    assert numbers == sorted(numbers)
    assert len(numbers) == len(data)
