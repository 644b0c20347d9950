"""Whether the shared file system is mounted and answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event

import pytest

from tests.node.doubles import FakeClock, FakeProcesses
from tests.node.health.node import Node
from trainyard_node.health.mounts import MountProblem, trouble_with
from trainyard_node.health.shared_mounted import check
from trainyard_node.processes import TIMED_OUT, Ran

LUSTRE = "10.0.0.7@tcp:/fsx {} lustre rw,seclabel,flock,lazystatfs 0 0"


def test_a_mounted_file_system_that_answers_is_well(node: Node):
    node.mounts(LUSTRE.format("/fsx"))
    (outcome,) = check(node.machine(shared="/fsx"))
    assert (outcome.status, outcome.device, outcome.message) == ("ok", "/fsx", "lustre is mounted here and answers")
    assert node.processes.commands == [["stat", "--file-system", str(node.places.at("/fsx"))]]


def test_a_place_where_nothing_is_mounted_is_a_failure(node: Node):
    node.mounts(LUSTRE.format("/fsx2"))
    (outcome,) = check(node.machine(shared="/fsx"))
    assert (outcome.status, outcome.message) == ("failed", "nothing is mounted here")
    assert node.processes.commands == []


def test_a_file_system_that_does_not_answer_in_time_is_a_warning_as_all_nodes_see_it_at_once(node: Node):
    node.mounts(LUSTRE.format("/fsx"))
    node.says("stat", "stat took longer than 7 s", status=TIMED_OUT)
    (found,) = check(node.machine(shared="/fsx"))
    assert (found.status, found.message) == ("warning", "lustre is mounted here, but it does not answer within 7 s")


def test_a_file_system_that_answers_with_an_error_is_a_failure_that_says_it(node: Node):
    node.mounts("10.0.0.7:/ /fsx nfs4 rw,hard 0 0")
    node.says("stat", "stat: cannot read file system information for '/fsx': Stale file handle", status=1)
    (outcome,) = check(node.machine(shared="/fsx"))
    assert outcome.status == "failed"
    assert "Stale file handle" in outcome.message


def test_a_file_system_for_reading_only_is_a_warning(node: Node):
    node.mounts("10.0.0.7@tcp:/fsx /fsx lustre ro,flock 0 0")
    assert [outcome.status for outcome in check(node.machine(shared="/fsx"))] == ["warning"]


def test_a_place_with_a_space_is_found_as_the_kernel_writes_it(node: Node):
    node.mounts(LUSTRE.format(r"/shared\040data"))
    assert [outcome.status for outcome in check(node.machine(shared="/shared data"))] == ["ok"]


def test_what_was_mounted_last_counts(node: Node):
    node.mounts("systemd-1 /fsx autofs rw 0 0", LUSTRE.format("/fsx"))
    (outcome,) = check(node.machine(shared="/fsx"))
    assert outcome.message.startswith("lustre")


def test_a_cluster_without_a_shared_file_system_is_no_failure(node: Node):
    assert [outcome.status for outcome in check(node.machine())] == ["absent"]


class Stuck(FakeProcesses):
    """Programs that hang in the kernel, so that not even ending them returns."""

    def __init__(self) -> None:
        """Hang until told."""
        super().__init__(FakeClock())
        self.released = Event()

    def run(self, command: Sequence[str], timeout_s: float, stdin: str = "") -> Ran:
        super().run(command, timeout_s, stdin)
        self.released.wait()
        return Ran(TIMED_OUT, "")


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    made = Stuck()
    yield made
    made.released.set()


def test_a_program_that_cannot_be_ended_hangs_nobody_and_is_not_started_again(node: Node, stuck: Stuck):
    world = node.world._replace(processes=stuck)
    for _ in range(3):
        assert trouble_with(world, "/fsx", 0.01, 0.01) == MountProblem(
            "it does not answer within 0.01 s", is_silence=True
        )
    assert len(stuck.commands) == 1


def test_once_it_ended_it_is_asked_anew(node: Node, stuck: Stuck):
    world = node.world._replace(processes=stuck)
    trouble_with(world, "/fsx", 0.01, 0.01)
    stuck.released.set()
    trouble_with(world, "/fsx")
    assert trouble_with(node.world, "/fsx") is None
    assert len(node.processes.commands) == 1
