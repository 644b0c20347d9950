"""What a node does when it starts: the real script, with stand-ins for the programs that change a machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from trainyard.platforms.batch.rendering.queue_slots import program

pytestmark = pytest.mark.integration

DRIVES = "nvme1n1 Amazon EC2 NVMe Instance Storage\nnvme0n1 Amazon Elastic Block Store\n"
TWO = f"{DRIVES}nvme2n1 Amazon EC2 NVMe Instance Storage\n"
# Each writes down how it was called, and answers what its file says.
STAND_IN = """#!/bin/bash
echo "$(basename "$0") $*" >>"$CALLS"
[ ! -e "$0.fails" ] || exit 1
case "$*" in
*describe-volumes*) echo "fs-0123456789abcdef1 /fsx" ;;
*LustreConfiguration*) echo "fs-0.fsx.us-east-2.amazonaws.com abcdefgh" ;;
*describe-file-systems*) echo "fs-1.fsx.us-east-2.amazonaws.com" ;;
*) [ ! -e "$0.says" ] || cat "$0.says" ;;
esac
"""
PROGRAMS = ("lsblk", "mdadm", "mkfs.xfs", "mount", "sysctl", "dnf", "rpm", "aws", "systemctl")


class Node:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in PROGRAMS:
            (folder / name).write_text(STAND_IN)
            (folder / name).chmod(0o755)
        (folder / "rpm.fails").touch()  # nothing is installed yet

    def start(self, *, drives: str = "", file_systems: str = "", huge_pages: int = 0) -> tuple[int, list[str]]:
        (self.folder / "lsblk.says").write_text(drives)
        settings = self.folder / "node.env"
        settings.write_text(
            f'REGION="us-east-2"\nFILE_SYSTEMS="{file_systems}"\nSCRATCH_MOUNT="{self.folder}/scratch"\n'
            f'HUGE_PAGES="{huge_pages}"\n'
        )
        (self.folder / "start.sh").write_text(program("assets/node-start.sh", dense=False))
        calls = self.folder / "calls"
        calls.touch()
        done = subprocess.run(
            ["bash", str(self.folder / "start.sh")], capture_output=True, text=True, check=False, timeout=300,
            env={
                "PATH": f"{self.folder}:{os.environ['PATH']}", "CALLS": str(calls),
                "TRAINYARD_NODE_ENV": str(settings), "TRAINYARD_ECS_CONFIG": str(self.folder / "ecs.config"),
            },
        )  # fmt: skip
        return done.returncode, calls.read_text().splitlines()


def test_jobs_are_kept_from_the_metadata_of_their_node(tmp_path: Path):
    status, _ = Node(tmp_path).start()
    assert status == 0
    assert (tmp_path / "ecs.config").read_text() == "ECS_AWSVPC_BLOCK_IMDS=true\n"


def test_several_drives_are_striped_and_volumes_of_ebs_left_alone(tmp_path: Path):
    status, calls = Node(tmp_path).start(drives=TWO)
    assert status == 0
    assert "dnf install --assumeyes --quiet mdadm" in calls
    assert "mdadm --create /dev/md/scratch --level=0 --raid-devices=2 --run /dev/nvme1n1 /dev/nvme2n1" in calls
    assert f"mount -o noatime /dev/md/scratch {tmp_path}/scratch" in calls


def test_one_drive_needs_no_stripe_and_none_is_a_plain_directory(tmp_path: Path):
    _, calls = Node(tmp_path).start(drives=DRIVES)
    assert f"mount -o noatime /dev/nvme1n1 {tmp_path}/scratch" in calls
    assert not [call for call in calls if call.startswith("mdadm")]
    assert (tmp_path / "scratch").stat().st_mode & 0o7777 == 0o1777


def test_huge_pages_are_set_aside_where_there_are_any(tmp_path: Path):
    assert "sysctl --write vm.nr_hugepages=5128" in Node(tmp_path).start(huge_pages=5128)[1]


def test_file_systems_are_looked_up_and_mounted(tmp_path: Path):
    wanted = f"lustre:fs-0123456789abcdef0:{tmp_path}/fsx openzfs:fsvol-0123456789abcdef0:{tmp_path}/home"
    status, calls = Node(tmp_path).start(file_systems=wanted)
    assert status == 0
    mounts = [call for call in calls if call.startswith("mount")]
    assert mounts == [
        f"mount -t lustre -o noatime,flock,user_xattr fs-0.fsx.us-east-2.amazonaws.com@tcp:/abcdefgh {tmp_path}/fsx",
        f"mount -t nfs -o nfsvers=4.2 fs-1.fsx.us-east-2.amazonaws.com:/fsx {tmp_path}/home",
    ]


@pytest.mark.parametrize("failing", ["mount", "aws", "dnf"])
def test_a_node_without_its_file_systems_takes_no_jobs(tmp_path: Path, failing: str):
    node = Node(tmp_path)
    (tmp_path / f"{failing}.fails").touch()
    status, calls = node.start(file_systems=f"lustre:fs-0123456789abcdef0:{tmp_path}/fsx")
    assert status != 0
    assert "systemctl mask ecs.service" in calls
