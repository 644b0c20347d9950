"""What leaves the node costs it little time, whatever does not work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.journal import Journal
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.processes import Ran
from trainyard_node.record import StatusRecord

ARN = "arn:aws:ec2:us-east-2:123456789012:instance/i-00000000"
URL = f"s3://mine/trainyard/llm/nodes/{ARN}.json"


class Case:
    """A journal and the world that it writes to."""

    def __init__(self, place: Path) -> None:
        """Lie in a folder."""
        self.place, self.clock = place, FakeClock()
        self.processes = FakeProcesses(self.clock)
        world = World(Places(str(place)), self.clock, self.processes)
        self.journal = Journal(
            StatusRecord(instance_id="i-00000000", instance_arn=ARN), "s3://mine/trainyard/llm", "us-east-2", world
        )

    @property
    def uploads(self) -> int:
        return len(self.processes.uploads.get(URL, []))


def test_short_steps_do_not_wait_for_an_upload_each(tmp_path: Path):
    case = Case(tmp_path)
    for _ in range(10):
        case.journal.changed()
    assert case.uploads == 1
    case.clock.passed_s += 20
    case.journal.changed()
    assert case.uploads == 2


def test_without_a_route_all_uploads_together_take_seconds(tmp_path: Path):
    case = Case(tmp_path)
    case.processes.answers["aws"] = Ran(1, "Could not connect to the endpoint URL")
    for _ in range(10):
        case.journal.changed()
    case.journal.ended()
    assert case.uploads == 3
    assert case.clock.passed_s < 30


def test_the_last_upload_is_never_left_out(tmp_path: Path):
    case = Case(tmp_path)
    case.journal.changed()
    case.journal.record.status = "failed"
    case.journal.ended()
    assert json.loads(case.processes.uploads[URL][-1])["status"] == "failed"


def test_where_nothing_can_be_written_the_record_still_leaves_the_node(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    case = Case(tmp_path)
    (tmp_path / "var").write_text("in the way")
    case.journal.changed()
    case.journal.ended()
    assert case.uploads == 2
    said = capsys.readouterr().err
    assert said.count("going on without it") == 1


def test_who_does_not_know_the_instance_uploads_nothing(tmp_path: Path):
    case = Case(tmp_path)
    case.journal.record.instance_arn = None
    case.journal.ended()
    assert case.processes.uploads == {}


def test_the_seconds_of_a_record_that_is_gone_on_with_are_added_to(tmp_path: Path):
    clock = FakeClock()
    world = World(Places(str(tmp_path)), clock, FakeProcesses(clock))
    journal = Journal(StatusRecord(seconds=100), "s3://mine/trainyard/llm", "us-east-2", world)
    clock.passed_s += 5
    journal.changed()
    assert journal.record.seconds == 105
