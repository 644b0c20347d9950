"""The timer that looks whether a Capacity Block ends."""

from __future__ import annotations

from pathlib import Path

from tests.bootstrap.steps.stubs import FakeNode, changes_nothing, complaint, runs_well

STEP = "77-block-end"
BLOCKS = "cr-0a1b2c3d4e5f60718:gpu:p5:30"
UNITS = ("trainyard-block-end.service", "trainyard-block-end.timer")


def test_the_head_node_looks_every_minute(tmp_path: Path):
    head = FakeNode(tmp_path, role="head", queue="", capacity_blocks=BLOCKS)
    runs_well(head, STEP)
    service, timer = ((head.root / "etc/systemd/system" / name).read_text() for name in UNITS)
    assert "trainyard-node block-end" in service
    assert "OnCalendar=*:*:30" in timer
    assert head.is_enabled("trainyard-block-end.timer")
    changes_nothing(head, STEP)


def test_without_a_block_it_says_what_is_missing(tmp_path: Path):
    head = FakeNode(tmp_path, role="head", queue="", capacity_blocks="")
    assert "TRAINYARD_CAPACITY_BLOCKS is not set" in complaint(head.run(STEP), 64)
