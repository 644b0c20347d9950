"""The NVSwitches between the GPUs, in the order that they need."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "40-fabric"
UNIT = "nvidia-fabricmanager.service"
# What `nvidia-smi -q` says of a GPU, shortened, once its state is known.
NVIDIA_SMI = """
if [[ $* == *driver_version* ]]; then echo "${DRIVER:-580.126.20}"; echo "${DRIVER:-580.126.20}"; exit; fi
[[ ! -e $STUB/unwell ]] || { cat "$STUB/unwell"; exit 15; }
state=$(cat "$STUB/state")
for gpu in $(seq "$(cat "$STUB/gpus")"); do
  echo "GPU 00000000:0$gpu:00.0"
  echo "    Addressing Mode                   : HMM"
  echo "    Fabric"
  echo "        State                         : $state"
  echo "        Status                        : Success"
  echo "    Clocks Event Reasons"
  echo "        Some State                    : Not Active"
done
"""
UMAD = 'mkdir -p "$TRAINYARD_SYSROOT/sys/module/ib_umad"'


def fabric_node(place: Path, fabric: str = "fabric-manager", os_name: str = "ubuntu2204") -> FakeNode:
    node = FakeNode(place, os_name, fabric=fabric, gpus="8")
    node.unit(UNIT, enabled=True, active=True)
    node.program("nvidia-smi", NVIDIA_SMI)
    # Its words: https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide/index.html
    (node.bin / "nv-fabricmanager").write_text("#!/bin/sh\necho 'Fabric Manager version is : 580.126.20'\n")
    (node.bin / "nv-fabricmanager").chmod(0o755)
    (node.stub / "state").write_text("Completed")
    (node.stub / "gpus").write_text("8")
    if fabric == "nvlsm":
        node.write("opt/nvidia/nvlsm/sbin/nvlsm")
        node.program("modprobe", UMAD)
    return node


def on_restart(node: FakeNode, body: str) -> None:
    """Let a start of the fabric manager do something more."""
    file = node.bin / "systemctl"
    file.write_text(file.read_text().replace('verb=""', f'if [[ $1 == restart ]]; then {body}; fi\nverb=""', 1))


@pytest.mark.parametrize("os_name", ["ubuntu2204", "ubuntu2404", "alinux2023"])
def test_a_fabric_that_works_is_left_alone(tmp_path: Path, os_name: str):
    changes_nothing(fabric_node(tmp_path, os_name=os_name), STEP)


def test_gpus_before_hopper_have_no_state(tmp_path: Path):
    node = fabric_node(tmp_path)
    (node.stub / "state").write_text("N/A")
    changes_nothing(node, STEP)


def test_a_fabric_manager_that_does_not_run_is_enabled_and_started(tmp_path: Path):
    node = fabric_node(tmp_path)
    node.unit(UNIT)
    runs_well(node, STEP)
    assert node.is_enabled(UNIT)
    assert node.is_active(UNIT)
    changes_nothing(node, STEP)


def test_on_blackwell_the_module_comes_before_the_fabric_manager(tmp_path: Path):
    node = fabric_node(tmp_path, "nvlsm")
    node.unit(UNIT, enabled=True)
    runs_well(node, STEP)
    assert node.actions() == ["modprobe ib_umad", f"systemctl restart {UNIT}"]
    assert node.read("etc/modules-load.d/trainyard-infiniband.conf") == "ib_umad\n"
    changes_nothing(node, STEP)


def test_a_fabric_manager_that_was_quicker_than_the_module_starts_again(tmp_path: Path):
    node = fabric_node(tmp_path, "nvlsm")
    runs_well(node, STEP)
    assert node.actions() == ["modprobe ib_umad", f"systemctl restart {UNIT}"]


def test_before_blackwell_nobody_loads_the_module(tmp_path: Path):
    node = fabric_node(tmp_path)
    runs_well(node, STEP)
    assert node.calls("modprobe") == []


def test_a_first_start_that_fails_says_nothing(tmp_path: Path):
    node = fabric_node(tmp_path)
    node.unit(UNIT, enabled=True, broken=True)
    on_restart(node, 'echo x >>"$STUB/starts"; (($(wc -l <"$STUB/starts") < 3)) || rm -f "$STUB/units/$2.broken"')
    said = runs_well(node, STEP)
    assert "attempt 2 of 4" in said
    assert node.is_active(UNIT)


def test_a_fabric_manager_that_never_starts_is_said_with_its_log(tmp_path: Path):
    node = fabric_node(tmp_path)
    node.unit(UNIT, enabled=True, broken=True)
    node.program("journalctl", "echo 'not all local fabric manager instances finished'")
    ran = node.run(STEP)
    assert "did not start in 4 attempts" in complaint(ran, 66)
    assert "not all local fabric manager instances" in ran.stdout
    assert len([call for call in node.calls("systemctl") if call[1] == "restart"]) == 4


def test_gpus_that_have_not_registered_are_helped_by_one_more_start(tmp_path: Path):
    node = fabric_node(tmp_path)
    (node.stub / "state").write_text("In Progress")
    on_restart(node, 'echo Completed >"$STUB/state"')
    assert "starts once more" in runs_well(node, STEP)
    changes_nothing(node, STEP)


def test_gpus_that_never_register_are_counted(tmp_path: Path):
    node = fabric_node(tmp_path)
    (node.stub / "state").write_text("In Progress")
    assert "8 of 8 GPUs did not register" in complaint(node.run(STEP), 66)


def test_an_nvidia_smi_that_fails_is_no_success(tmp_path: Path):
    node = fabric_node(tmp_path)
    (node.stub / "unwell").write_text("Unable to determine the device handle for GPU0: GPU is lost\n")
    said = complaint(node.run(STEP), 66)
    assert "nvidia-smi ended with status 15 (Unable to determine the device handle for GPU0: GPU is lost)" in said


def test_an_nvidia_smi_that_fails_at_first_is_waited_for(tmp_path: Path):
    node = fabric_node(tmp_path)
    (node.stub / "unwell").write_text("Unable to determine the device handle\n")
    node.program("sleep", 'rm -f "$STUB/unwell"')
    runs_well(node, STEP)
    assert len(node.calls("sleep")) == 1
    assert node.actions() == []


@pytest.mark.parametrize("shown", ["7", "0"])
def test_a_gpu_without_a_state_is_missed(tmp_path: Path, shown: str):
    node = fabric_node(tmp_path)
    (node.stub / "gpus").write_text(shown)
    assert f"shows a fabric state for {shown} GPUs instead of 8" in complaint(node.run(STEP), 66)


def test_where_nobody_knows_how_many_gpus_there_are_one_has_to_have_a_state(tmp_path: Path):
    node = fabric_node(tmp_path)
    node.settings["gpus"] = ""
    (node.stub / "gpus").write_text("0")
    assert "shows a fabric state for 0 GPUs instead of 1" in complaint(node.run(STEP), 66)
    (node.stub / "gpus").write_text("4")
    changes_nothing(node, STEP)


@pytest.mark.parametrize("gpus", ["0", "many", "08"])
def test_a_number_of_gpus_that_is_none_is_refused(tmp_path: Path, gpus: str):
    node = fabric_node(tmp_path)
    node.settings["gpus"] = gpus
    assert f"TRAINYARD_GPUS is '{gpus}'" in complaint(node.run(STEP), 64)


def test_waiting_gpus_are_given_time(tmp_path: Path):
    node = fabric_node(tmp_path)
    (node.stub / "state").write_text("In Progress")
    node.program("sleep", 'echo Completed >"$STUB/state"')
    runs_well(node, STEP)
    assert node.actions() == []


def test_a_module_that_does_not_load_is_said_and_a_later_run_succeeds(tmp_path: Path):
    node = fabric_node(tmp_path, "nvlsm")
    node.fail("modprobe", "modprobe: FATAL: Module ib_umad not found in directory /lib/modules/x", times=1)
    assert "cannot load the module ib_umad: modprobe: FATAL" in complaint(node.run(STEP), 1)
    runs_well(node, STEP)


def test_an_image_without_fabric_manager_is_refused(tmp_path: Path):
    node = fabric_node(tmp_path)
    (node.root / "usr/lib/systemd/system" / UNIT).unlink()
    assert "fabric manager is missing" in complaint(node.run(STEP), 66)


def test_an_image_without_nvlsm_is_refused_on_blackwell_only(tmp_path: Path):
    node = fabric_node(tmp_path, "nvlsm")
    (node.root / "opt/nvidia/nvlsm/sbin/nvlsm").unlink()
    assert "(nvlsm) is missing" in complaint(node.run(STEP), 66)
    node.settings["fabric"] = "fabric-manager"
    runs_well(node, STEP)


def test_a_fabric_manager_of_another_version_than_the_driver_is_refused(tmp_path: Path):
    node = fabric_node(tmp_path)
    ran = node.run(STEP, DRIVER="595.112.07")
    assert "fabric manager is version 580.126.20 and the NVIDIA driver 595.112.07" in complaint(ran, 66)


def test_a_node_without_gpu_is_refused(tmp_path: Path):
    node = fabric_node(tmp_path)
    node.program("nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9")
    assert "nvidia-smi sees no GPU of this p5.48xlarge" in complaint(node.run(STEP), 66)


def test_a_full_disk_is_said(tmp_path: Path):
    node = fabric_node(tmp_path, "nvlsm")
    assert "no space left" in complaint(node.run(STEP, disk_full=True), 73)
    runs_well(node, STEP)


def test_a_long_table_needs_no_room_on_the_disk(tmp_path: Path):
    node = fabric_node(tmp_path)
    node.program("nvidia-smi", f"{NVIDIA_SMI}\nfor line in {{0..9999}}; do echo '    Clocks : 1980 MHz'; done")
    ran = node.run(STEP, disk_full=True)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("fabric", ["none", ""])
def test_gpus_without_nvswitch_need_nothing(tmp_path: Path, fabric: str):
    node = FakeNode(tmp_path, fabric=fabric)
    changes_nothing(node, STEP)


def test_a_fabric_that_nobody_knows_is_refused(tmp_path: Path):
    assert "is 'nvl72' instead of" in complaint(FakeNode(tmp_path, fabric="nvl72").run(STEP), 64)
