"""The volume of the monitoring instance: attached by itself, formatted when blank, mounted where units keep state."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bootstrap.steps.keeper_node import keeper_node
from tests.bootstrap.steps.scripts import answers, verify_unit
from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "62-data-volume"
VOLUME = "vol-0123456789abcdef0"
DEVICE = "dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_vol0123456789abcdef0"
UNIT = "var-lib-private.mount"
STATE = "var/lib/private"
# A folder stands for what the volume holds: mount puts it in the place of the empty one, umount takes it back.
MOUNT = 'for place; do :; done; rmdir "$place" && ln -s "$STUB/volume" "$place"'
UMOUNT = 'rm "$1" && mkdir "$1"'


@pytest.fixture
def node(tmp_path: Path) -> FakeNode:
    made = keeper_node(tmp_path, data_volume=VOLUME)
    (made.stub / "volume").mkdir()
    answers(made, "blkid", 'cat "$STUB/blkid" 2>/dev/null || exit 2')
    made.program("mkfs.xfs", 'echo xfs >"$STUB/blkid"')
    made.program("xfs_growfs")
    made.program("mount", MOUNT)
    made.program("umount", UMOUNT)
    made.program("aws", f'mkdir -p "$TRAINYARD_SYSROOT/{Path(DEVICE).parent}" && touch "$TRAINYARD_SYSROOT/{DEVICE}"')
    return made


def refuses(node: FakeNode, code: str) -> None:
    node.fail("aws", f"An error occurred ({code}) when calling the AttachVolume operation: no")


def test_a_blank_volume_is_attached_formatted_and_mounted(node: FakeNode):
    runs_well(node, STEP)
    (call,) = node.calls("aws")
    assert call[1:3] == ["ec2", "attach-volume"]
    assert {VOLUME, node.settings["instance_id"], node.settings["region"]} <= set(call)
    assert len(node.calls("mkfs.xfs")) == 1
    assert node.is_active(UNIT)
    assert node.is_enabled(UNIT)
    assert f"What=/{DEVICE}" in node.read(f"etc/systemd/system/{UNIT}").splitlines()


def test_what_the_instance_kept_on_its_own_disk_moves_once(node: FakeNode):
    for name in ("trainyard-keeper/block", "trainyard-grafana/grafana.db"):
        node.write(f"{STATE}/{name}", "former")
    (node.stub / "units").mkdir(exist_ok=True)
    (node.stub / "units/trainyard-keeper.service.active").touch()
    runs_well(node, STEP)
    assert (node.stub / "volume/trainyard-keeper/block").read_text() == "former"
    assert (node.stub / "volume").stat().st_mode & 0o777 == 0o700
    assert ["systemctl", "stop", "trainyard-keeper.service"] in node.calls("systemctl")
    # The volume goes on by itself: what lies below it is not copied again.
    (node.stub / "volume/trainyard-keeper/block").write_text("newer")
    runs_well(node, STEP)
    assert (node.stub / "volume/trainyard-keeper/block").read_text() == "newer"


def test_a_copy_that_was_interrupted_is_made_whole(node: FakeNode):
    node.write(f"{STATE}/trainyard-keeper/block", "whole")
    (node.stub / "volume/trainyard-keeper").mkdir()
    (node.stub / "volume/trainyard-keeper/block").write_text("wh")
    (node.stub / "blkid").write_text("xfs\n")
    runs_well(node, STEP)
    assert (node.stub / "volume/trainyard-keeper/block").read_text() == "whole"


def test_a_volume_with_data_is_taken_over_as_it_is(node: FakeNode):
    (node.stub / "blkid").write_text("xfs\n")
    (node.stub / "volume/.trainyard-volume").touch()
    runs_well(node, STEP)
    assert node.calls("mkfs.xfs") == []
    assert sorted(path.name for path in (node.stub / "volume").iterdir()) == [".trainyard-volume"]


def test_a_volume_with_anything_else_is_left_alone(node: FakeNode):
    (node.stub / "blkid").write_text("ext4\n")
    assert "holds ext4 and no XFS: nothing was written" in complaint(node.run(STEP), 64)
    assert node.calls("mkfs.xfs") == node.calls("mount") == []


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        ("VolumeInUse", 75, "still attached to another instance"),
        ("IncorrectState", 75, "still attached to another instance"),
        ("InvalidVolume.ZoneMismatch", 64, "is in another zone"),
        ("InvalidVolume.NotFound", 64, f"cannot attach {VOLUME}"),
        ("UnauthorizedOperation", 69, f"cannot attach {VOLUME}"),
    ],
)
def test_what_ec2_refuses_is_told_and_services_go_on(node: FakeNode, code: str, status: int, words: str):
    (node.stub / "units").mkdir(exist_ok=True)
    (node.stub / "units/trainyard-keeper.service.active").touch()
    refuses(node, code)
    assert words in complaint(node.run(STEP), status)
    assert node.is_active("trainyard-keeper.service")


def test_a_device_that_does_not_appear_is_told(node: FakeNode):
    node.program("aws")
    assert "built on Nitro" in complaint(node.run(STEP), 66)


def test_a_second_run_uses_the_whole_volume_and_changes_nothing(node: FakeNode):
    runs_well(node, STEP)
    mount(node, DEVICE)
    answers(node, "xfs_growfs", 'echo "$@" >>"$STUB/grown"')
    changes_nothing(node, STEP)
    assert (node.stub / "grown").read_text().strip() == str(node.root / STATE)


def test_a_volume_that_is_named_later_takes_the_place_of_the_former_one(node: FakeNode):
    (node.stub / "units").mkdir(exist_ok=True)
    (node.stub / f"units/{UNIT}.active").touch()
    node.write("dev/nvme1n1")
    mount(node, "dev/nvme1n1")
    node.fail("aws", "InvalidParameterValue: Attachment point /dev/sdf is already in use", times=1)
    runs_well(node, STEP)
    assert [call[call.index("--device") + 1] for call in node.calls("aws")] == ["/dev/sdf", "/dev/sdg"]
    verbs = [call[1:] for call in node.calls("systemctl")]
    assert verbs.index(["stop", UNIT]) < verbs.index(["start", UNIT])


def mount(node: FakeNode, device: str) -> None:
    node.write("proc/mounts", f"/{device} /{STATE} xfs rw 0 0\n")


def test_systemd_finds_nothing_wrong_with_the_unit(node: FakeNode):
    runs_well(node, STEP)
    assert verify_unit(node, UNIT) == ""
