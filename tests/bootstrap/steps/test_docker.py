"""Docker from its static archive."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.bootstrap.node import archive_of
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "30-docker"
PROGRAMS = ("containerd", "containerd-shim-runc-v2", "ctr", "docker", "docker-init", "docker-proxy", "dockerd", "runc")
ARCHIVE = archive_of({f"docker/{name}": b"#!/bin/sh\n" for name in PROGRAMS})
UNITS = ("containerd.service", "docker.service")


def docker_node(place: Path, os_name: str = "ubuntu2204", **settings: str) -> FakeNode:
    node = FakeNode(place, os_name, **settings)
    node.asset("docker", "docker-29.4.0.tgz", ARCHIVE)
    node.write("etc/parallelcluster/cfnconfig", "cfn_cluster_user=ubuntu\ncfn_ephemeral_dir=/scratch\n")
    node.write("etc/group", "root:x:0:\n")
    node.program("iptables")
    group = '"$TRAINYARD_SYSROOT/etc/group"'
    node.program("groupadd", f"echo docker:x:999: >>{group}")
    node.program("usermod", f"sed -i 's/^docker:.*/&ubuntu/' {group}")
    return node


@pytest.mark.parametrize("os_name", ["ubuntu2204", "ubuntu2404", "alinux2023"])
def test_docker_is_unpacked_linked_and_started(tmp_path: Path, os_name: str):
    node = docker_node(tmp_path, os_name)
    runs_well(node, STEP)
    for name in PROGRAMS:
        link = node.root / "usr/local/bin" / name
        assert link.readlink() == node.root / "opt/trainyard/docker/docker-29.4.0" / name
    assert all(node.is_enabled(unit) and node.is_active(unit) for unit in UNITS)
    changes_nothing(node, STEP)


def test_the_user_of_the_cluster_may_use_docker(tmp_path: Path):
    node = docker_node(tmp_path)
    runs_well(node, STEP)
    assert node.calls("usermod") == [["usermod", "--append", "--groups", "docker", "ubuntu"]]


def test_containers_may_lock_memory_and_survive_a_restart(tmp_path: Path):
    node = docker_node(tmp_path)
    runs_well(node, STEP)
    settings = json.loads(node.read("etc/docker/daemon.json"))
    assert settings["default-ulimits"]["memlock"] == {"Name": "memlock", "Hard": -1, "Soft": -1}
    assert settings["live-restore"] is True
    assert "iptables" not in settings


@pytest.mark.parametrize(
    ("mounts", "folder"),
    [("/dev/md0 /scratch ext4 rw 0 0\n", "/scratch"), ("/dev/md0 /scratch2 ext4 rw 0 0\n", "/var/lib")],
)
def test_images_go_to_the_instance_store_where_it_is_mounted(tmp_path: Path, mounts: str, folder: str):
    node = docker_node(tmp_path)
    node.write("proc/mounts", mounts)
    runs_well(node, STEP)
    assert json.loads(node.read("etc/docker/daemon.json"))["data-root"] == f"{folder}/docker"
    assert node.read("etc/trainyard/containerd.env") == f"CONTAINERD_ROOT={folder}/containerd\n"


def test_docker_does_without_iptables_where_there_is_none(tmp_path: Path):
    if shutil.which("iptables", path="/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/sbin:/usr/local/bin"):
        pytest.skip("hardware: this machine has iptables")
    node = docker_node(tmp_path)
    (node.bin / "iptables").unlink()
    assert "--network=host only" in runs_well(node, STEP)
    assert json.loads(node.read("etc/docker/daemon.json"))["iptables"] is False


def test_settings_that_exist_stay(tmp_path: Path):
    node = docker_node(tmp_path)
    node.write("etc/docker/daemon.json", '{"mtu": 1500}')
    runs_well(node, STEP)
    assert node.read("etc/docker/daemon.json") == '{"mtu": 1500}'


def test_a_docker_of_the_image_stays(tmp_path: Path):
    node = docker_node(tmp_path)
    node.write("usr/bin/dockerd")
    node.unit("docker.service", enabled=True, active=True)
    changes_nothing(node, STEP)
    assert node.calls("trainyard-node") == []


def test_another_version_takes_the_place_of_the_former(tmp_path: Path):
    node = docker_node(tmp_path)
    runs_well(node, STEP)
    (node.stub / "assets/docker/docker-29.4.0.tgz").unlink()
    node.asset("docker", "docker-30.0.0.tgz", ARCHIVE)
    node.forget_calls()
    runs_well(node, STEP)
    assert "docker-30.0.0" in str((node.root / "usr/local/bin/dockerd").readlink())
    assert "systemctl restart docker.service" in node.actions()


def test_a_damaged_asset_ends_the_step(tmp_path: Path):
    node = docker_node(tmp_path)
    node.asset_fails("docker", 65, "docker-29.4.0.tgz is damaged: lock and deploy again")
    assert "is damaged" in complaint(node.run(STEP), 65)
    node.asset_arrives("docker")
    runs_well(node, STEP)


def test_an_asset_that_was_never_deployed_ends_the_step(tmp_path: Path):
    node = FakeNode(tmp_path)
    assert "not in assets.lock.json" in complaint(node.run(STEP), 69)


def test_an_archive_without_dockerd_is_damaged_and_nothing_of_it_stays(tmp_path: Path):
    node = docker_node(tmp_path)
    node.asset("docker", "docker-29.4.0.tgz", archive_of({"docker/docker": b""}))
    assert "holds no dockerd" in complaint(node.run(STEP), 65)
    assert not node.has("opt/trainyard/docker/docker-29.4.0")
    node.asset("docker", "docker-29.4.0.tgz", ARCHIVE)
    runs_well(node, STEP)
    assert [path.name for path in (node.root / "opt/trainyard/docker").iterdir()] == ["docker-29.4.0"]


def test_a_full_disk_is_said_and_a_later_run_succeeds(tmp_path: Path):
    node = docker_node(tmp_path)
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert not node.has("opt/trainyard/docker/docker-29.4.0")
    runs_well(node, STEP)


def test_a_docker_that_does_not_start_is_said_and_a_later_run_starts_it(tmp_path: Path):
    node = docker_node(tmp_path)
    broken = node.stub / "units/docker.service.broken"
    broken.parent.mkdir()
    broken.touch()
    assert "cannot restart docker.service: Job for docker.service failed" in complaint(node.run(STEP), 1)
    broken.unlink()
    runs_well(node, STEP)
    assert node.is_active("docker.service")


def test_systemd_has_nothing_to_say_about_the_units(tmp_path: Path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("hardware: this machine has no systemd-analyze")
    node = docker_node(tmp_path)
    runs_well(node, STEP)
    for name in ("containerd", "dockerd"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    files = []
    for unit in UNITS:
        text = node.read(f"etc/systemd/system/{unit}")
        file = tmp_path / unit
        file.write_text(text.replace("/usr/local/bin/", f"{tmp_path}/"))
        files.append(str(file))
    ran = subprocess.run(["systemd-analyze", "verify", *files], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout + ran.stderr) == (0, "")


def test_a_user_whose_name_is_none_is_refused(tmp_path: Path):
    node = docker_node(tmp_path)
    node.write("etc/parallelcluster/cfnconfig", "cfn_cluster_user=$(reboot)\n")
    assert "does not name the user of the cluster" in complaint(node.run(STEP), 64)
    assert node.calls("usermod") == []


def test_an_image_that_is_built_has_no_user_yet(tmp_path: Path):
    node = docker_node(tmp_path)
    node.write("etc/parallelcluster/cfnconfig", "cfn_region=us-east-2\n")
    runs_well(node, STEP)
    assert node.calls("usermod") == []
