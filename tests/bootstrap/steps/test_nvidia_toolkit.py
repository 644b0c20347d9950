"""The NVIDIA container toolkit, and Docker's knowledge of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "31-nvidia-toolkit"
PACKAGES = (
    "libnvidia-container-tools", "libnvidia-container1", "nvidia-container-toolkit", "nvidia-container-toolkit-base",
)  # fmt: skip
# Like the real ones: nvidia-ctk adds to settings in place, and Docker knows what was there when it started.
NVIDIA_CTK = """
python3 - "${@: -1}" <<'END'
import json, sys
file = sys.argv[1].partition("=")[2]
settings = json.load(open(file))
settings["runtimes"] = {"nvidia": {"args": [], "path": "nvidia-container-runtime"}}
json.dump(settings, open(file, "w"), indent=4)
END
"""
DOCKER = '[[ ! -e $STUB/knows ]] || echo "io.containerd.runc.v2 nvidia runc "'


def toolkit_node(place: Path, os_name: str = "ubuntu2204") -> FakeNode:
    node = FakeNode(place, os_name)
    for name in PACKAGES:
        node.package_file("nvidia-container-toolkit", name, "1.20.1-1")
    node.write("etc/docker/daemon.json", '{"live-restore": true}')
    node.unit("docker.service", enabled=True, active=True)
    node.program("nvidia-smi", "echo 'GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)'")
    node.program("nvidia-ctk", f"ulimit -S -f unlimited\n{NVIDIA_CTK}")
    node.program("docker", DOCKER)
    systemctl = (node.bin / "systemctl").read_text()
    starts = '[[ "$*" != "restart docker.service" ]] || touch "$STUB/knows"\n'
    (node.bin / "systemctl").write_text(systemctl.replace('verb=""', starts + 'verb=""'))
    return node


@pytest.mark.parametrize("os_name", ["ubuntu2204", "ubuntu2404", "alinux2023"])
def test_the_pinned_packages_are_installed_and_docker_knows_the_runtime(tmp_path: Path, os_name: str):
    node = toolkit_node(tmp_path, os_name)
    assert "Docker knows the NVIDIA runtime" in runs_well(node, STEP)
    assert node.packages() == dict.fromkeys(PACKAGES, "1.20.1-1")
    changes_nothing(node, STEP)


def test_settings_of_docker_stay(tmp_path: Path):
    node = toolkit_node(tmp_path)
    runs_well(node, STEP)
    settings = json.loads(node.read("etc/docker/daemon.json"))
    assert settings == {
        "live-restore": True,
        "runtimes": {"nvidia": {"args": [], "path": "nvidia-container-runtime"}},
    }
    assert [path.name for path in (node.root / "etc/docker").iterdir()] == ["daemon.json"]


def test_settings_that_do_not_exist_are_begun(tmp_path: Path):
    node = toolkit_node(tmp_path)
    (node.root / "etc/docker/daemon.json").unlink()
    runs_well(node, STEP)
    assert "nvidia" in json.loads(node.read("etc/docker/daemon.json"))["runtimes"]


def test_a_restart_that_failed_is_made_up_for(tmp_path: Path):
    node = toolkit_node(tmp_path)
    node.unit("docker.service", broken=True)
    starts = (node.bin / "systemctl").read_text()
    (node.bin / "systemctl").write_text(starts.replace('touch "$STUB/knows"', "true"))
    assert "cannot have Docker read" in complaint(node.run(STEP), 1)
    node.unit("docker.service", active=True)
    (node.bin / "systemctl").write_text(starts)
    runs_well(node, STEP)
    assert (node.stub / "knows").exists()


def test_a_docker_that_ignores_the_runtime_is_said(tmp_path: Path):
    node = toolkit_node(tmp_path)
    node.program("docker", "echo 'runc '")
    assert "Docker does not know the NVIDIA runtime" in complaint(node.run(STEP), 1)


def test_a_tool_that_does_nothing_is_said_and_the_settings_stay(tmp_path: Path):
    node = toolkit_node(tmp_path)
    node.program("nvidia-ctk")
    assert "nvidia-ctk did not add its runtime" in complaint(node.run(STEP), 1)
    assert node.read("etc/docker/daemon.json") == '{"live-restore": true}'


def test_a_node_without_gpu_is_refused_before_anything_is_installed(tmp_path: Path):
    node = toolkit_node(tmp_path)
    node.program("nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9")
    assert "lists no GPU of this p5.48xlarge" in complaint(node.run(STEP), 66)
    assert node.packages() == {}


def test_a_list_of_gpus_that_is_long_is_read_to_its_end(tmp_path: Path):
    node = toolkit_node(tmp_path)
    node.program("nvidia-smi", 'for gpu in {0..9999}; do echo "GPU $gpu: NVIDIA H100 80GB HBM3 (UUID: x)"; done')
    runs_well(node, STEP)


def test_a_gpu_that_is_only_mentioned_is_none(tmp_path: Path):
    node = toolkit_node(tmp_path)
    node.program("nvidia-smi", "echo 'Unable to determine the device handle for GPU 0000:01:00.0'")
    assert "lists no GPU of this p5.48xlarge" in complaint(node.run(STEP), 66)


def test_a_damaged_asset_ends_the_step(tmp_path: Path):
    node = toolkit_node(tmp_path)
    node.asset_fails("nvidia-container-toolkit", 65, "libnvidia-container1.deb is damaged: lock and deploy again")
    assert "is damaged" in complaint(node.run(STEP), 65)
    node.asset_arrives("nvidia-container-toolkit")
    runs_well(node, STEP)


@pytest.mark.parametrize("os_name", ["ubuntu2204", "alinux2023"])
def test_a_held_lock_is_a_reason_to_try_again(tmp_path: Path, os_name: str):
    node = toolkit_node(tmp_path, os_name)
    with node.package_lock_held():
        complaint(node.run(STEP), 75)
    runs_well(node, STEP)


def test_a_full_disk_is_said_and_the_settings_stay(tmp_path: Path):
    node = toolkit_node(tmp_path)
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    assert node.read("etc/docker/daemon.json") == '{"live-restore": true}'
    runs_well(node, STEP)


def test_another_system_is_refused(tmp_path: Path):
    node = toolkit_node(tmp_path, "rocky9")
    assert "on rocky9" in complaint(node.run(STEP), 64)
    assert node.packages() == {}
