"""When a step is tried again, on a clock that costs no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.journal import Journal
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.plan import Step
from trainyard_node.processes import StepEnd
from trainyard_node.record import StatusRecord, StepRecord
from trainyard_node.step_run import StepRunner

DONE = StepEnd(0, "")
UNREACHABLE = StepEnd(69, "no route")
LOCKED = StepEnd(75, "the package lock is held")


class Case:
    """A step that ends as told."""

    def __init__(self, place: Path, *ends: StepEnd, step_s: float = 1.0) -> None:
        """Lie in a folder."""
        self.clock = FakeClock()
        self.processes = FakeProcesses(self.clock, *ends, step_s=step_s)
        self._world = World(Places(str(place)), self.clock, self.processes)

    def run(self, *, network: bool = True, timeout_s: float = 900) -> StepRecord:
        step = Step("efa", "steps/20-efa.sh", True, network, timeout_s, False)  # noqa: FBT003 - as in a plan
        record = StatusRecord(instance_id="i-00000000")
        journal = Journal(record, "s3://mine/trainyard/llm", "us-east-2", self._world)
        return StepRunner(self._world.places.at("/release"), self._world).run(step, journal)


def test_a_step_of_the_network_is_tried_again_until_it_succeeds(tmp_path: Path):
    case = Case(tmp_path, UNREACHABLE, LOCKED, DONE)
    record = case.run()
    assert (record.status, record.attempts, record.message, record.exit_status) == ("done", 3, "", 0)
    assert case.clock.pauses == [5, 10]


def test_it_is_given_up_after_five_attempts_with_doubling_pauses(tmp_path: Path):
    case = Case(tmp_path, UNREACHABLE)
    record = case.run()
    assert (record.status, record.attempts, record.message, record.exit_status) == ("failed", 5, "no route", 69)
    assert case.clock.pauses == [5, 10, 20, 40]


@pytest.mark.parametrize("end", [StepEnd(1, "?"), StepEnd(64, "?"), StepEnd(65, "?"), StepEnd(73, "?")])
def test_what_no_second_attempt_mends_is_not_tried_again(tmp_path: Path, end: StepEnd):
    assert Case(tmp_path, end, DONE).run().attempts == 1


def test_a_step_without_network_is_tried_again_for_a_lock_only(tmp_path: Path):
    assert Case(tmp_path, LOCKED, DONE).run(network=False).status == "done"
    assert Case(tmp_path, UNREACHABLE, DONE).run(network=False).status == "failed"


def test_the_time_limit_holds_for_all_attempts_together(tmp_path: Path):
    case = Case(tmp_path, UNREACHABLE, step_s=20)
    record = case.run(timeout_s=60)
    assert record.attempts == 3
    assert case.processes.limits == [60, 35, 5]
    assert case.clock.pauses == [5, 10]


def test_a_step_that_takes_too_long_is_not_tried_again_and_says_its_last_words(tmp_path: Path):
    record = Case(tmp_path, StepEnd(None, "installing the driver"), DONE).run()
    assert (record.attempts, record.exit_status) == (1, None)
    assert record.message.startswith(
        "it took longer than 900 s and was ended; the last it said is 'installing the driver', see /"
    )


def test_a_message_is_one_printable_line_of_bearable_length(tmp_path: Path):
    message = Case(tmp_path, StepEnd(1, "\x1b[31mred\x00" + "x" * 1000)).run().message
    assert message.isprintable()
    assert message.startswith("[31mred ")
    assert len(message) == 500
