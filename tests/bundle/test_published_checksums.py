"""What publishers say about their files, in each of their forms."""

from __future__ import annotations

import gzip

import pytest

from trainyard.bundle import published_checksums as published
from trainyard.errors import TrainyardError

WHERE = "https://example.com/index"
A, B, C = "a" * 64, "b" * 64, "c" * 128
# As NVIDIA/libnvidia-container has them in stable/deb/amd64/Packages, 69f4ab797b0c6df3892f9136f7c734dac72d67fe;
# some fields are left out, and the second is a later version with made-up numbers.
PACKAGES = b"""\
Package: libnvidia-container-dev
Architecture: amd64
Version: 1.17.3-1
Depends: libnvidia-container1 (= 1.17.3-1)
Filename: ./libnvidia-container-dev_1.17.3-1_amd64.deb
Size: 85920
MD5sum: 75e3f461ceb46434ecbd5d1db05a32a7
SHA256: d8787ced58a2947bf01b594f79b4ad4e4d7e581ffebb583d51cd3559c73a44c6
Description: NVIDIA container runtime library (development files)
 The nvidia-container library provides an interface to configure GNU/Linux
 .
 Package: a trap

Package: libnvidia-container-dev
Architecture: amd64
Version: 1.17.30-1
Filename: ./libnvidia-container-dev_1.17.30-1_amd64.deb
Size: 2
SHA256: %s

Package: aws-neuronx-runtime-lib
Architecture: amd64
Version: 2.35.30.0-ac18d186d
Filename: pool/main/a/aws-neuronx-runtime-lib/aws-neuronx-runtime-lib_2.35.30.0-ac18d186d_amd64.deb
Size: 3
SHA256: %s

Package: datacenter-gpu-manager-exporter
Architecture: arm64
Version: 1:4.8.3-1
Filename: ./datacenter-gpu-manager-exporter_4.8.3-1_arm64.deb
Size: 4
SHA256: %s

""" % (A.encode(), B.encode(), A.encode())
# As the same repository has it in stable/rpm/x86_64/repodata, 05fbe9fe1d300ceed697a29fc4799fdcf8b38d23, shortened
# and with other checksums.
REPOMD = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<repomd xmlns="http://linux.duke.edu/metadata/repo" xmlns:rpm="http://linux.duke.edu/metadata/rpm">
  <revision>1.0</revision>
  <data type="filelists">
    <checksum type="sha512">%s</checksum>
    <location href="repodata/filelists.xml.gz"/>
    <size>10765</size>
  </data>
  <data type="primary">
    <checksum type="sha512">%s</checksum>
    <location href="repodata/d495d36f-primary.xml.gz"/>
    <size>16914</size>
  </data>
</repomd>
""" % (C.encode(), A.encode() + B.encode())
# In the form of createrepo_c's own test data:
# https://github.com/rpm-software-management/createrepo_c/tree/master/tests/testdata
PRIMARY = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<metadata xmlns="http://linux.duke.edu/metadata/common" xmlns:rpm="http://linux.duke.edu/metadata/rpm" packages="2">
<package type="rpm">
  <name>aws-neuronx-collectives</name>
  <arch>aarch64</arch>
  <version epoch="0" ver="2.35.43.0_74eaafac6" rel="1"/>
  <checksum type="sha256" pkgid="YES">%s</checksum>
  <size package="1" installed="2" archive="3"/>
  <location href="aws-neuronx-collectives-arm.rpm"/>
</package>
<package type="rpm">
  <name>aws-neuronx-collectives</name>
  <arch>x86_64</arch>
  <version epoch="0" ver="2.35.43.0_74eaafac6" rel="1"/>
  <checksum type="sha256" pkgid="YES">%s</checksum>
  <size package="5" installed="6" archive="7"/>
  <location href="aws-neuronx-collectives-2.35.43.0_74eaafac6-1.x86_64.rpm"/>
</package>
<package type="rpm">
  <name>aws-neuronx-dkms</name>
  <arch>noarch</arch>
  <version epoch="0" ver="2.31.7.0" rel="dkms"/>
  <checksum type="sha512" pkgid="YES">%s</checksum>
  <size package="8" installed="9" archive="9"/>
  <location href="Packages/aws-neuronx-dkms-2.31.7.0.noarch.rpm"/>
</package>
</metadata>
""" % (A.encode(), B.encode(), C.encode())


@pytest.mark.parametrize(
    ("content", "digest"),
    [
        (f"{A}  other.tar.gz\n{B}  it.tar.gz\n", B),  # prometheus: sha256sums.txt
        (f"{B} *it.tar.gz\n", B),
        (f"{B.upper()}  it.tar.gz\n", B),
        (f"{C}  it.tar.gz", C),  # as aws-ofi-nccl prints its own
        (f"{B}\n", B),
    ],
    ids=["list", "binary", "capitals", "SHA-512", "nothing else"],
)
def test_a_list_gives_the_checksum_of_a_file(content, digest):
    assert published.listed_digest(content.encode(), "it.tar.gz", WHERE) == digest


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"{A}  xit.tar.gz\n{A}  it.tar.gz.sig\n".encode(), "does not list it.tar.gz"),
        (f"{A}  it.tar.gz\n{B}  it.tar.gz\n".encode(), "lists it.tar.gz twice, differently"),
        (b"<html>not found</html>", "does not list"),
        (b"", "does not list"),
        (b"\xff\xfe", "it is not text"),
    ],
)
def test_a_list_that_does_not_say_is_an_error(content, said):
    with pytest.raises(TrainyardError, match=said):
        published.listed_digest(content, "it.tar.gz", WHERE)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["Packages", "Packages.gz"])
@pytest.mark.parametrize(
    ("package", "version", "arch", "expected"),
    [
        ("libnvidia-container-dev", "1.17.3", "x86_64", (
            "libnvidia-container-dev_1.17.3-1_amd64.deb",
            "d8787ced58a2947bf01b594f79b4ad4e4d7e581ffebb583d51cd3559c73a44c6", 85920)),
        ("aws-neuronx-runtime-lib", "2.35.30.0", "x86_64", (
            "pool/main/a/aws-neuronx-runtime-lib/aws-neuronx-runtime-lib_2.35.30.0-ac18d186d_amd64.deb", B, 3)),
        ("datacenter-gpu-manager-exporter", "4.8.3", "aarch64", (
            "datacenter-gpu-manager-exporter_4.8.3-1_arm64.deb", A, 4)),
    ],
)  # fmt: skip
def test_a_debian_index_leads_to_a_package_whatever_the_packager_added_to_its_version(
    pack, package, version, arch, expected
):
    assert published.debian_package(pack(PACKAGES), package, version, arch, WHERE) == expected


@pytest.mark.parametrize(
    ("package", "version", "arch"),
    [
        ("libnvidia-container-dev", "1.17", "x86_64"),
        ("libnvidia-container-dev", "1.17.3", "aarch64"),
        ("a", "1", "x86_64"),
    ],
)
def test_a_package_that_is_not_there_in_just_this_version_is_an_error(package, version, arch):
    with pytest.raises(TrainyardError, match=f"it has no {package} {version}"):
        published.debian_package(PACKAGES, package, version, arch, WHERE)


@pytest.mark.parametrize(
    "path",
    ["../../etc/passwd", "./a/../../b.deb", "/a//b.deb", "a b.deb", ".deb", "", "https://example.com/x.deb", "a/-rf"],
)
def test_a_path_that_leads_elsewhere_is_an_error(path):
    content = PACKAGES.replace(b"./libnvidia-container-dev_1.17.3-1_amd64.deb", path.encode())
    with pytest.raises(TrainyardError, match="is not of the expected form"):
        published.debian_package(content, "libnvidia-container-dev", "1.17.3", "x86_64", WHERE)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(PACKAGES)[:-20], "it is cut short"),
        (b"\x1f\x8bnothing of the kind", "it cannot be unpacked"),
        (gzip.compress(bytes(published.MOST_BYTES + 1), 1), "holds more than 200,000,000 bytes"),
    ],
    ids=["cut", "damaged", "bomb"],
)
def test_an_index_that_cannot_be_unpacked_is_an_error(content, said):
    with pytest.raises(TrainyardError, match=said):
        published.debian_package(content, "a", "1", "x86_64", WHERE)


def test_a_repomd_leads_to_the_list_of_packages():
    found = published.primary_of(REPOMD, WHERE)
    assert found == ("repodata/d495d36f-primary.xml.gz", A + B, 16914)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "packed"])
def test_a_list_of_rpms_leads_to_the_package_of_the_architecture(pack):
    found = published.rpm_package(pack(PRIMARY), "aws-neuronx-collectives", "2.35.43.0", "x86_64", WHERE)
    assert found == ("aws-neuronx-collectives-2.35.43.0_74eaafac6-1.x86_64.rpm", B, 5)


def test_a_package_without_architecture_is_for_every_one():
    found = published.rpm_package(PRIMARY, "aws-neuronx-dkms", "2.31.7.0", "x86_64", WHERE)
    assert found == ("Packages/aws-neuronx-dkms-2.31.7.0.noarch.rpm", C, 8)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<html>", "it is not XML"),
        (b"(\xb5/\xfd", "it is not XML"),  # how zstd begins
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "it declares a document type"),
        (b"<repomd/>", "it has no list of packages"),
    ],
    ids=["html", "zstd", "entities", "empty"],
)
def test_a_repomd_of_another_form_is_an_error(content, said):
    with pytest.raises(TrainyardError, match=said):
        published.primary_of(content, WHERE)
