"""What nodes can install, and where it is published."""

from __future__ import annotations

from itertools import product

import pytest

from tests.each_case import each_case
from trainyard.catalog import assets, catalog_file
from trainyard.catalog.assets import FileDownload, PackageDownload

DATA = catalog_file.content(catalog_file.FOLDER / "assets.yaml")
NAMES = {"efa-installer", "docker", "nvidia-container-toolkit", "node-exporter", "dcgm-exporter", "neuron", "nccl",
         "nccl-tests", "aws-ofi-nccl", "alertmanager", "grafana", "prometheus"}  # fmt: skip
SYSTEMS = ("ubuntu2204", "ubuntu2404", "alinux2023")
PLACES = list(product(SYSTEMS, ("x86_64", "aarch64")))


def version_of(name: str) -> str:
    asset = assets.asset(name)
    assert asset is not None
    return asset.version or "1.47.0"


def test_these_assets_are_known():
    assert DATA["assets"].keys() == NAMES


@each_case("name", sorted(NAMES))
@each_case(("os", "arch"), PLACES)
def test_every_asset_has_files_everywhere_but_that_trainium_is_x86_64_only(name, os, arch):
    found = assets.downloads(name, version_of(name), os, arch)
    assert bool(found) == (name != "neuron" or arch == "x86_64")
    for one in found:
        addresses = [one.url] if isinstance(one, FileDownload) else [one.repository, one.index_url]
        assert all(address.startswith("https://") and "{" not in address for address in addresses)


@pytest.mark.parametrize(
    ("name", "os", "arch", "address"),
    [
        ("docker", "alinux2023", "aarch64", "https://download.docker.com/linux/static/stable/aarch64/docker-29.4.0.tgz"),
        ("node-exporter", "ubuntu2404", "aarch64",
         "https://github.com/prometheus/node_exporter/releases/download/v1.10.2/node_exporter-1.10.2.linux-arm64.tar.gz"),
        ("prometheus", "ubuntu2204", "aarch64",
         "https://github.com/prometheus/prometheus/releases/download/v3.13.2/prometheus-3.13.2.linux-arm64.tar.gz"),
        ("alertmanager", "alinux2023", "x86_64",
         "https://github.com/prometheus/alertmanager/releases/download/v0.31.1/alertmanager-0.31.1.linux-amd64.tar.gz"),
        ("grafana", "alinux2023", "x86_64", "https://dl.grafana.com/oss/release/grafana-12.4.3.linux-amd64.tar.gz"),
        ("dcgm-exporter", "ubuntu2404", "aarch64",
         "https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2404/sbsa/Packages.gz"),
        ("dcgm-exporter", "alinux2023", "x86_64",
         "https://developer.download.nvidia.com/compute/cuda/repos/amzn2023/x86_64/repodata/repomd.xml"),
        ("neuron", "ubuntu2404", "x86_64",
         "https://apt.repos.neuron.amazonaws.com/dists/noble/main/binary-amd64/Packages"),
        ("nvidia-container-toolkit", "ubuntu2204", "x86_64",
         "https://nvidia.github.io/libnvidia-container/stable/deb/amd64/Packages"),
    ],
)  # fmt: skip
def test_addresses_are_as_the_publisher_has_them(name, os, arch, address):
    (first, *_) = assets.downloads(name, version_of(name), os, arch)
    assert (first.url if isinstance(first, FileDownload) else first.index_url) == address


def test_the_toolkit_is_four_packages_of_one_version():
    found = assets.downloads("nvidia-container-toolkit", "1.20.1", "ubuntu2204", "x86_64")
    assert all(isinstance(one, PackageDownload) and one.version == "1.20.1" for one in found)
    assert len(found) == 4


def test_the_parts_of_neuron_have_versions_of_their_own():
    found = assets.downloads("neuron", "2.33.0", "alinux2023", "x86_64")
    versions = {one.package: one.version for one in found if isinstance(one, PackageDownload)}
    assert versions["aws-neuronx-dkms"] == "2.31.7.0"
    assert len(set(versions.values())) == 4


def test_a_checksum_that_is_printed_on_a_page_comes_with_the_page():
    (known,) = assets.downloads("efa-installer", "1.47.0", None, None)
    (unknown,) = assets.downloads("efa-installer", "1.99.0", None, None)
    assert isinstance(known, FileDownload)
    assert isinstance(unknown, FileDownload)
    assert known.digest == "2df4201e046833c7dc8160907bee7f52b76ff80ed147376a2d0ed8a0dd66b2db"
    assert known.digest_source == "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-verify.html"
    assert (unknown.digest, unknown.digest_source) == (None, None)


def test_an_archive_of_a_tag_gets_a_name_that_says_what_it_is():
    (source,) = assets.downloads("nccl", "2.28.7-1", None, None)
    assert isinstance(source, FileDownload)
    assert source.file == "nccl-2.28.7-1.tar.gz"
    assert source.url == "https://github.com/NVIDIA/nccl/archive/refs/tags/v2.28.7-1.tar.gz"


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("efa-installer", (None, None)),
        ("docker", (None, "aarch64")),
        ("dcgm-exporter", ("ubuntu2204", "aarch64")),
        ("neuron", ("ubuntu2204", "aarch64")),  # which has none
        ("unknown", ("ubuntu2204", "aarch64")),
    ],
)
def test_files_are_told_apart_only_where_they_differ(name, place):
    assert assets.place_of(name, "ubuntu2204", "aarch64") == place


def test_an_unknown_asset_or_system_has_no_files_and_no_sources():
    assert assets.downloads("unknown", "1", "ubuntu2204", "x86_64") == ()
    assert assets.downloads("dcgm-exporter", "4.8.3", "rhel9", "x86_64") == ()
    assert assets.sources_of("unknown") == {}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_fact_has_a_source_and_every_source_is_used(name):
    assert {"files"} <= set(assets.sources_of(name)) <= {"files", "version", "digests"}
    used = {source for facts in DATA["assets"].values() for source in facts}
    assert used == set(DATA["sources"])
