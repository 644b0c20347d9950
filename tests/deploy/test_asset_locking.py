"""The making of a lock, with every vendor played by a publisher on this machine."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any
from urllib.parse import urlsplit

import pytest
from urllib3 import BaseHTTPResponse, PoolManager

from tests.edge.publisher import Fault, Publisher, publishing
from tests.waiting import HANGS_S
from trainyard.bundle.asset_lock import AssetLock, LockedAsset, lock_of_assets
from trainyard.deploy.asset_locking import AssetLocker
from trainyard.edge.asset_cache import AssetCache
from trainyard.edge.downloads import Downloader
from trainyard.edge.http_client import HttpClient, RetryPolicy
from trainyard.errors import InputError, TrainyardError
from trainyard.render.needed_assets import NeededAsset

pytestmark = [pytest.mark.integration, pytest.mark.enable_socket]
DOCKER = NeededAsset("docker", None, None, "x86_64")
EXPORTER = NeededAsset("node-exporter", None, None, "aarch64")
TOOLKIT = NeededAsset("nvidia-container-toolkit", None, "ubuntu2204", "x86_64")
DCGM = NeededAsset("dcgm-exporter", None, "alinux2023", "aarch64")
EFA = NeededAsset("efa-installer", "1.47.0", None, None)
DOCKER_PATH = "/linux/static/stable/x86_64/docker-29.4.0.tgz"
EXPORTER_FILE = "node_exporter-1.10.2.linux-arm64.tar.gz"
EXPORTER_PATH = f"/prometheus/node_exporter/releases/download/v1.10.2/{EXPORTER_FILE}"
SUMS_PATH = "/prometheus/node_exporter/releases/download/v1.10.2/sha256sums.txt"
PACKAGES = (
    "libnvidia-container1", "libnvidia-container-tools", "nvidia-container-toolkit-base", "nvidia-container-toolkit",
)  # fmt: skip
DEB = "/libnvidia-container/stable/deb/amd64"
RPM = "/compute/cuda/repos/amzn2023/sbsa"


class ToPublisher(PoolManager):
    """Sends whatever is asked of any host over HTTPS to the publisher."""

    def __init__(self, publisher: Publisher) -> None:
        super().__init__()
        self.base = publisher.base

    def urlopen(self, method: str, url: str, *arguments: Any, **options: Any) -> BaseHTTPResponse:
        return super().urlopen(method, self.base + urlsplit(url).path, *arguments, **options)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packages(publisher: Publisher) -> bytes:
    """Publish the four packages, and return their index."""
    paragraphs = []
    for package in PACKAGES:
        content = f"{package} as a Debian package".encode()
        file = f"{package}_1.20.1-1_amd64.deb"
        publisher.files[f"{DEB}/{file}"] = content
        paragraphs.append(
            f"Package: {package}\nArchitecture: amd64\nVersion: 1.20.1-1\nFilename: ./{file}\n"
            f"Size: {len(content)}\nSHA256: {sha256(content)}\n"
        )
    return "\n".join(paragraphs).encode()


def rpms(publisher: Publisher) -> None:
    """Publish one RPM package with its two indexes."""
    content = b"the exporter as an RPM package"
    publisher.files[f"{RPM}/datacenter-gpu-manager-exporter-4.8.3-1.aarch64.rpm"] = content
    common = 'xmlns="http://linux.duke.edu/metadata/common"'
    primary = gzip.compress(
        f'<metadata {common}><package type="rpm"><name>datacenter-gpu-manager-exporter</name><arch>aarch64</arch>'
        f'<version epoch="1" ver="4.8.3" rel="1"/><checksum type="sha256">{sha256(content)}</checksum>'
        f'<size package="{len(content)}"/><location href="datacenter-gpu-manager-exporter-4.8.3-1.aarch64.rpm"/>'
        "</package></metadata>".encode()
    )
    publisher.files[f"{RPM}/repodata/1-primary.xml.gz"] = primary
    publisher.files[f"{RPM}/repodata/repomd.xml"] = (
        '<repomd xmlns="http://linux.duke.edu/metadata/repo"><data type="primary">'
        f'<checksum type="sha256">{sha256(primary)}</checksum><location href="repodata/1-primary.xml.gz"/>'
        f"<size>{len(primary)}</size></data></repomd>"
    ).encode()


@pytest.fixture
def publisher():
    with publishing() as made:
        made.files[DOCKER_PATH] = b"docker, statically linked"
        made.files[EXPORTER_PATH] = b"the exporter of nodes"
        made.files[SUMS_PATH] = f"{'0' * 64}  other\n{sha256(b'the exporter of nodes')}  {EXPORTER_FILE}\n".encode()
        made.files[f"{DEB}/Packages"] = packages(made)
        rpms(made)
        yield made


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def locking(publisher, said, tmp_path):
    retry = RetryPolicy(attempts=2, first_pause_s=0.0)
    http = HttpClient(timeout_s=HANGS_S, retry=retry, pools={"": ToPublisher(publisher)})
    return AssetLocker(AssetCache(tmp_path / "assets", Downloader(said.append, http=http)))


def test_what_has_no_published_checksum_is_pinned_and_that_is_said(locking, said):
    (entry,) = locking.lock([DOCKER], AssetLock()).assets
    content = b"docker, statically linked"
    assert entry == LockedAsset(
        "docker", "29.4.0", None, "x86_64", "docker-29.4.0.tgz",
        f"https://download.docker.com{DOCKER_PATH}", len(content), sha256(content), None,
    )  # fmt: skip
    assert "docker-29.4.0.tgz: no checksum is published; the lock pins what was downloaded" in said


def test_a_list_of_checksums_verifies_a_file(locking):
    (entry,) = locking.lock([EXPORTER], AssetLock()).assets
    assert entry.verified_by == f"https://github.com{SUMS_PATH}"
    assert (entry.file, entry.sha256) == (EXPORTER_FILE, sha256(b"the exporter of nodes"))


def test_a_debian_index_gives_and_verifies_every_package(locking, publisher):
    entries = locking.lock([TOOLKIT], AssetLock()).assets
    assert sorted(entry.file for entry in entries) == sorted(f"{name}_1.20.1-1_amd64.deb" for name in PACKAGES)
    assert {entry.verified_by for entry in entries} == {f"https://nvidia.github.io{DEB}/Packages"}
    assert [path for path, _ in publisher.requests].count(f"{DEB}/Packages") == 1


def test_an_rpm_index_gives_and_verifies_a_package(locking):
    (entry,) = locking.lock([DCGM], AssetLock()).assets
    assert entry.file == "datacenter-gpu-manager-exporter-4.8.3-1.aarch64.rpm"
    assert entry.verified_by == f"https://developer.download.nvidia.com{RPM}/repodata/repomd.xml"
    assert (entry.version, entry.os, entry.arch) == ("4.8.3", "alinux2023", "aarch64")


def test_a_list_of_packages_that_its_index_does_not_vouch_for_is_refused(locking, publisher):
    publisher.files[f"{RPM}/repodata/1-primary.xml.gz"] = b"something else"
    with pytest.raises(TrainyardError, match="is not the file that it should be"):
        locking.lock([DCGM], AssetLock())


@pytest.mark.parametrize(
    ("needed", "path"), [(EXPORTER, EXPORTER_PATH), (TOOLKIT, f"{DEB}/nvidia-container-toolkit_1.20.1-1_amd64.deb")]
)
def test_another_file_than_its_publisher_says_is_refused(locking, publisher, needed, path):
    publisher.files[path] = b"not what it was"
    with pytest.raises(TrainyardError, match="is not the file that it should be"):
        locking.lock([needed], AssetLock())


def test_a_checksum_of_the_catalog_is_compared_too(locking, publisher):
    publisher.files["/aws-efa-installer-1.47.0.tar.gz"] = b"no installer"
    with pytest.raises(
        TrainyardError, match="instead of 2df4201e046833c7dc8160907bee7f52b76ff80ed147376a2d0ed8a0dd66b2db"
    ):
        locking.lock([EFA], AssetLock())


def test_what_is_locked_is_not_asked_for_again(locking, publisher):
    first = locking.lock([DOCKER, EXPORTER], AssetLock())
    publisher.requests.clear()
    publisher.files.clear()
    assert locking.lock([DOCKER, EXPORTER], first) == first
    assert publisher.requests == []


def test_an_asset_of_which_only_a_part_is_locked_is_locked_anew_as_a_whole(locking):
    whole = locking.lock([TOOLKIT], AssetLock())
    assert locking.lock([TOOLKIT], lock_of_assets(whole.assets[1:])) == whole


def test_what_is_locked_in_an_older_version_stays_unless_it_is_updated(locking):
    (new,) = locking.lock([DOCKER], AssetLock()).assets
    old = lock_of_assets([new._replace(version="20.10.0", file="docker-20.10.0.tgz", sha256="0" * 64)])
    assert locking.lock([DOCKER], old) == old
    assert locking.lock([DOCKER], old, ["docker"]).assets == (new,)


def test_a_version_that_the_spec_names_takes_the_place_of_another(locking, publisher):
    (held,) = locking.lock([DOCKER], AssetLock()).assets
    publisher.files[DOCKER_PATH.replace("29.4.0", "29.4.1")] = b"newer"
    (entry,) = locking.lock([DOCKER._replace(version="29.4.1")], lock_of_assets([held])).assets
    assert (entry.version, entry.sha256) == ("29.4.1", sha256(b"newer"))


def test_what_is_no_longer_needed_goes(locking):
    both = locking.lock([DOCKER, EXPORTER], AssetLock())
    assert [asset.name for asset in locking.lock([EXPORTER], both).assets] == ["node-exporter"]


def test_only_what_is_needed_can_be_updated(locking):
    with pytest.raises(InputError, match="no node needs 'neuron'") as caught:
        locking.lock([DOCKER], AssetLock(), ["neuron"])
    assert caught.value.hint == "the spec needs docker"


def test_what_nobody_publishes_for_these_nodes_is_one_clear_line(locking, publisher):
    with pytest.raises(InputError, match="nothing is known to be published of dcgm-exporter for rhel9 on x86_64"):
        locking.lock([NeededAsset("dcgm-exporter", None, "rhel9", "x86_64")], AssetLock())
    assert publisher.requests == []


def test_a_version_that_was_withdrawn_is_one_clear_line(locking, publisher):
    publisher.faults[DOCKER_PATH] = [Fault(404)]
    with pytest.raises(TrainyardError, match=r"download\.docker\.com says 404 Not Found") as caught:
        locking.lock([DOCKER], AssetLock())
    assert "\n" not in caught.value.problem
