"""The volume of the monitoring instance on a real block device: what blkid, mkfs.xfs, mount and xfs_growfs do."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.bootstrap.steps.keeper_node import keeper_node
from tests.bootstrap.steps.stubs import FakeNode, complaint, runs_well

STEP = "62-data-volume"
DEVICE = "dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0"
STATE = "var/lib/private"
MIB = 1024 * 1024
# The least that mkfs.xfs makes.
SIZE_MIB = 320


def run(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout.strip()


@contextmanager
def loop_device(file: Path) -> Iterator[Path]:
    file.touch()
    os.truncate(file, SIZE_MIB * MIB)
    try:
        device = run("losetup", "--find", "--show", file)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"hardware: no loop device can be had: {error.stderr.strip()}")
    try:
        yield Path(device)
    finally:
        run("losetup", "--detach", device)


pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="hardware: loop devices and mounts take root"),
    pytest.mark.skipif("\txfs\n" not in Path("/proc/filesystems").read_text(), reason="hardware: a kernel without XFS"),
]


@pytest.fixture
def volume(tmp_path: Path) -> Iterator[Path]:
    with loop_device(tmp_path / "volume.img") as device:
        yield device


@pytest.fixture
def node(tmp_path: Path, volume: Path) -> FakeNode:
    made = keeper_node(tmp_path, data_volume="vol-0123456789abcdef0")
    for name in ("mount", "umount", "blkid", "mkfs.xfs", "xfs_growfs"):
        (made.bin / name).unlink(missing_ok=True)
    link = made.root / DEVICE
    link.parent.mkdir(parents=True)
    link.symlink_to(volume)
    return made


def kind(device: Path) -> str:
    return run("blkid", "--probe", "--output", "value", "--match-tag", "TYPE", device)


def test_a_blank_volume_gets_xfs_and_what_was_kept_and_is_used_whole_when_it_grows(
    node: FakeNode, volume: Path, tmp_path: Path
):
    node.write(f"{STATE}/trainyard-keeper/block", "former")
    runs_well(node, STEP)
    assert kind(volume) == "xfs"
    uuid = run("blkid", "--probe", "--output", "value", "--match-tag", "UUID", volume)
    with ExitStack() as mounted:
        place = node.root / STATE
        run("mount", volume, place)
        mounted.callback(run, "umount", place)
        assert (place / "trainyard-keeper/block").read_text() == "former"
        assert (place.stat().st_mode & 0o777, (place / ".trainyard-volume").exists()) == (0o700, True)
        blocks = os.statvfs(place).f_blocks
        os.truncate(tmp_path / "volume.img", 2 * SIZE_MIB * MIB)
        run("losetup", "--set-capacity", volume)
        node.write("proc/mounts", f"{volume} /{STATE} xfs rw 0 0\n")
        (node.root / str(volume).lstrip("/")).symlink_to(volume)
        runs_well(node, STEP)
        assert os.statvfs(place).f_blocks > 1.8 * blocks
        assert (place / "trainyard-keeper/block").read_text() == "former"
    assert run("blkid", "--probe", "--output", "value", "--match-tag", "UUID", volume) == uuid


@pytest.mark.parametrize("program", ["mkfs.ext4", "mkswap"])
def test_a_volume_that_holds_something_else_is_left_as_it_is(node: FakeNode, volume: Path, program: str):
    run(program, volume)
    before = run("sha256sum", volume)
    assert "and no XFS: nothing was written to it" in complaint(node.run(STEP), 64)
    assert run("sha256sum", volume) == before


def test_a_volume_with_partitions_is_left_as_it_is(node: FakeNode, volume: Path):
    # A master boot record with one partition of Linux from sector 2048 on: https://wiki.osdev.org/MBR_(x86)
    entry = struct.pack("<B3sB3sII", 0, b"\0\x02\0", 0x83, b"\xff\xff\xff", 2048, 4096)
    with volume.open("r+b") as disk:
        disk.write(bytes(446) + entry + bytes(48) + b"\x55\xaa")
    before = run("sha256sum", volume)
    assert "nothing was written to it" in complaint(node.run(STEP), 64)
    assert run("sha256sum", volume) == before
