"""EFA in the version that is asked, and interfaces that are there."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "20-efa"
INSTALLED = "opt/amazon/efa_installed_packages"
# It writes down what it is called with, and its version, as the real one does at its end.
INSTALLER = """
printf 'efa-installer\\x1f'"$*"'\\x1f\\n' >>"$STUB/calls"
[[ -f $PWD/efa_installer.sh ]] || { echo 'Please cd into the installer directory.'; exit 1; }
if [[ -f $STUB/installer-fails ]]; then cat "$STUB/installer-fails"; exit 1; fi
ulimit -S -f unlimited
printf '# EFA installer version: VERSION\\n' >"$TRAINYARD_SYSROOT/opt/amazon/efa_installed_packages"
"""


def efa_node(place: Path, os_name: str = "ubuntu2204", *, interfaces: int = 32, **settings: str) -> FakeNode:
    node = FakeNode(place, os_name, **{"efa_interfaces": "32", **settings})
    node.write(INSTALLED, "# EFA installer version: 1.43.2\n# Debug packages installed: no\n# Packages installed:\nx\n")
    node.program("fi_info", "echo 'provider: efa'")
    add_interfaces(node, "efa", interfaces)
    return node


def add_interfaces(node: FakeNode, driver: str, count: int) -> None:
    for number in range(count):
        device = node.root / f"sys/class/infiniband/{driver}{number}/device"
        device.mkdir(parents=True)
        (device / "driver").symlink_to(f"../../../bus/pci/drivers/{driver}")


def give_installer(node: FakeNode, version: str, path: str = "aws-efa-installer/efa_installer.sh") -> None:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        member = tarfile.TarInfo(path)
        content = INSTALLER.replace("VERSION", version).encode()
        member.size, member.mode = len(content), 0o755
        archive.addfile(member, io.BytesIO(content))
    node.asset("efa-installer", f"aws-efa-installer-{version}.tar.gz", stream.getvalue())


@pytest.mark.parametrize("asked", ["", "1.43.2"])
def test_the_version_of_the_image_is_kept_where_no_other_is_asked(tmp_path: Path, asked: str):
    node = efa_node(tmp_path, efa_version=asked)
    changes_nothing(node, STEP)
    assert node.calls("trainyard-node") == []


@pytest.mark.parametrize("os_name", ["ubuntu2204", "ubuntu2404", "alinux2023"])
def test_a_newer_version_is_installed_without_kernel_module_and_test(tmp_path: Path, os_name: str):
    node = efa_node(tmp_path, os_name, efa_version="1.47.0")
    give_installer(node, "1.47.0")
    assert "installed EFA 1.47.0" in runs_well(node, STEP)
    assert node.calls("efa-installer") == [["efa-installer", "--yes --skip-kmod --no-verify"]]
    assert list((node.root / "var/tmp").iterdir()) == []


def test_versions_are_compared_as_versions(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.100.0")
    give_installer(node, "1.100.0")
    runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_an_image_without_efa_gets_it(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.47.0")
    (node.root / INSTALLED).unlink()
    give_installer(node, "1.47.0")
    assert "EFA none becomes 1.47.0" in runs_well(node, STEP)


def test_an_older_version_than_the_image_has_is_refused(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.9.0")
    give_installer(node, "1.9.0")
    assert "efa_version 1.9.0 is older than EFA 1.43.2" in complaint(node.run(STEP), 64)
    assert node.calls("efa-installer") == []


def test_another_system_is_refused_before_anything_is_installed(tmp_path: Path):
    node = efa_node(tmp_path, "rocky9", efa_version="1.47.0")
    give_installer(node, "1.47.0")
    assert "does not install EFA on rocky9" in complaint(node.run(STEP), 64)


def test_a_damaged_asset_ends_the_step_with_the_word_of_the_asset(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.47.0")
    node.asset_fails("efa-installer", 65, "aws-efa-installer-1.47.0.tar.gz is damaged: lock and deploy again")
    assert "is damaged" in complaint(node.run(STEP), 65)
    give_installer(node, "1.47.0")
    runs_well(node, STEP)


def test_an_archive_without_an_installer_is_damaged(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.47.0")
    give_installer(node, "1.47.0", path="something/else.sh")
    assert "holds no aws-efa-installer/efa_installer.sh" in complaint(node.run(STEP), 65)


def test_an_archive_of_another_version_is_damaged(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.47.0")
    give_installer(node, "1.46.0")
    assert "is not version 1.47.0, because it installed '1.46.0'" in complaint(node.run(STEP), 65)


@pytest.mark.parametrize(
    ("said", "status", "expected"),
    [
        ("E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1", 75, "another program"),
        ("Err:1 http://x Temporary failure resolving 'x'\nError: Failed to install packages.", 69, "route"),
        ("cp: error writing 'x': No space left on device", 73, "no space left"),
        ("Error: failed to install EFA packages, exiting", 1, "Error: failed to install EFA packages"),
    ],
)
def test_what_stops_the_installer_is_said_and_a_later_run_succeeds(
    tmp_path: Path, said: str, status: int, expected: str
):
    node = efa_node(tmp_path, efa_version="1.47.0")
    give_installer(node, "1.47.0")
    failure = node.stub / "installer-fails"
    failure.write_text(said + "\n")
    assert expected in complaint(node.run(STEP), status)
    failure.unlink()
    runs_well(node, STEP)


def test_a_held_package_lock_is_waited_for_before_the_installer_runs(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.47.0")
    give_installer(node, "1.47.0")
    with node.package_lock_held():
        complaint(node.run(STEP), 75)
    assert node.calls("efa-installer") == []


def test_a_full_disk_is_said(tmp_path: Path):
    node = efa_node(tmp_path, efa_version="1.47.0")
    give_installer(node, "1.47.0")
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert list((node.root / "var/tmp").iterdir()) == []


def test_an_interface_that_is_missing_is_counted(tmp_path: Path):
    node = efa_node(tmp_path, interfaces=31)
    assert "31 of the 32 EFA interfaces of this p5.48xlarge" in complaint(node.run(STEP), 66)


def test_controllers_of_nvswitches_are_no_efa_interfaces(tmp_path: Path):
    node = efa_node(tmp_path, interfaces=7, efa_interfaces="8", instance_type="p6-b200.48xlarge")
    add_interfaces(node, "mlx5_core", 2)
    assert "7 of the 8 EFA interfaces" in complaint(node.run(STEP), 66)


def test_a_driver_that_is_not_loaded_is_loaded(tmp_path: Path):
    node = efa_node(tmp_path, interfaces=0, efa_interfaces="1")
    device = "$TRAINYARD_SYSROOT/sys/class/infiniband/rdmap0s6/device"
    node.program("modprobe", f'mkdir -p "{device}" && ln -s ../../../bus/pci/drivers/efa "{device}/driver"')
    assert "1 EFA interfaces" in runs_well(node, STEP)
    assert node.calls("modprobe") == [["modprobe", "efa"]]


def test_interfaces_that_libfabric_does_not_offer_are_of_no_use(tmp_path: Path):
    node = efa_node(tmp_path)
    node.program("fi_info", "echo 'fi_getinfo: -61 (No data available)'; exit 61")
    assert "libfabric does not offer the 32 EFA interfaces" in complaint(node.run(STEP), 66)


def test_the_libfabric_of_the_installer_is_asked(tmp_path: Path):
    node = efa_node(tmp_path)
    node.program("fi_info", "exit 61")
    node.write("opt/amazon/efa/bin/fi_info", "#!/usr/bin/env bash\necho 'provider: efa'\n", 0o755)
    runs_well(node, STEP)


def test_much_that_libfabric_says_is_read_to_its_end(tmp_path: Path):
    node = efa_node(tmp_path)
    node.program("fi_info", "echo 'provider: efa'; for line in {0..9999}; do echo '    fabric: efa'; done")
    runs_well(node, STEP)


def test_a_type_that_is_not_known_has_to_have_an_interface(tmp_path: Path):
    node = efa_node(tmp_path, interfaces=0, efa_interfaces="")
    assert "this p5.48xlarge has no EFA interface, although EFA is wanted" in complaint(node.run(STEP), 66)
    add_interfaces(node, "efa", 1)
    assert "1 EFA interfaces" in runs_well(node, STEP)


def test_the_driver_is_loaded_for_a_type_that_is_not_known(tmp_path: Path):
    node = efa_node(tmp_path, interfaces=0, efa_interfaces="")
    device = "$TRAINYARD_SYSROOT/sys/class/infiniband/rdmap0s6/device"
    node.program("modprobe", f'mkdir -p "{device}" && ln -s ../../../bus/pci/drivers/efa "{device}/driver"')
    runs_well(node, STEP)


def test_a_type_without_efa_in_a_queue_that_has_it_needs_nothing(tmp_path: Path):
    node = efa_node(tmp_path, interfaces=0, efa_interfaces="0", efa_version="1.47.0")
    node.program("fi_info", "exit 61")
    assert "is to have no EFA interface" in runs_well(node, STEP)
    changes_nothing(node, STEP)


@pytest.mark.parametrize("interfaces", ["many", "08", "-1"])
def test_a_number_of_interfaces_that_is_none_is_refused(tmp_path: Path, interfaces: str):
    node = efa_node(tmp_path, efa_interfaces=interfaces)
    assert f"TRAINYARD_EFA_INTERFACES is '{interfaces}'" in complaint(node.run(STEP), 64)
