"""How checks are run: at once, each until a deadline, and none hides another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

import trainyard_node.health
from tests.node.health.node import Node
from trainyard_node.errors import NodeError
from trainyard_node.health import clock_in_sync, efa_provider, mounts, shared_mounted
from trainyard_node.health.checks import CHECKS, DEADLINE_S, NAMES, Checks
from trainyard_node.health.machine import Machine
from trainyard_node.health.outcome import STATUSES, Outcome, is_healthy, worst_by_check


class Told:
    """A check that does as it is told."""

    def __init__(self, name: str, do: Callable[[], list[Outcome]]) -> None:
        """Remember how often it was begun."""
        self.NAME, self._do, self.begun = name, do, 0

    def check(self, machine: Machine) -> list[Outcome]:
        del machine
        self.begun += 1
        return self._do()


def well(name: str) -> Told:
    return Told(name, lambda: [Outcome(name, "ok", "well")])


def raises(name: str, error: Exception) -> Told:
    def check() -> list[Outcome]:
        raise error

    return Told(name, check)


@pytest.fixture
def release() -> Iterator[Event]:
    event = Event()
    yield event
    event.set()


def hangs(name: str, release: Event) -> Told:
    def check() -> list[Outcome]:
        release.wait()
        return [Outcome(name, "ok", "well after all")]

    return Told(name, check)


def states(outcomes: list[Outcome]) -> list[tuple[str, str]]:
    return [(outcome.check, outcome.status) for outcome in outcomes]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NodeError("node.env cannot be read: run it as root"), "node.env cannot be read: run it as root"),
        (ZeroDivisionError("division by zero"), "the check failed: ZeroDivisionError: division by zero"),
    ],
)
def test_a_check_that_raises_is_unknown_with_its_reason_and_hides_no_other(node: Node, error: Exception, said: str):
    outcomes = Checks([well("first"), raises("sick", error), well("last")]).run(node.machine())
    assert states(outcomes) == [("first", "ok"), ("sick", "unknown"), ("last", "ok")]
    assert outcomes[1].message == said


def test_a_check_that_hangs_is_unknown_and_hides_no_other(node: Node, release: Event):
    outcomes = Checks([hangs("stuck", release), well("last")], deadline_s=0.02).run(node.machine())
    assert states(outcomes) == [("stuck", "unknown"), ("last", "ok")]
    assert "did not answer in time" in outcomes[0].message


def test_all_checks_run_at_once(node: Node, release: Event):
    """Each waits for the next one, and the last one lets all of them go."""

    def let_go() -> list[Outcome]:
        release.set()
        return [Outcome("last", "ok", "well")]

    last = Told("last", let_go)
    outcomes = Checks([hangs("first", release), hangs("second", release), last]).run(node.machine())
    assert [status for _, status in states(outcomes)] == ["ok", "ok", "ok"]


def test_a_check_that_still_hangs_is_not_begun_again_and_answers_later(node: Node, release: Event):
    stuck = hangs("stuck", release)
    checks = Checks([stuck], deadline_s=0.02)
    for _ in range(3):
        assert states(checks.run(node.machine())) == [("stuck", "unknown")]
    assert stuck.begun == 1
    release.set()
    patient = Checks([stuck])
    patient._hanging = checks._hanging
    assert states(patient.run(node.machine())) == [("stuck", "ok")]
    patient.run(node.machine())
    assert stuck.begun == 2


def test_a_check_that_says_nothing_is_unknown(node: Node):
    assert states(Checks([Told("silent", list)]).run(node.machine())) == [("silent", "unknown")]


def test_what_a_device_says_of_itself_is_one_printable_line(node: Node):
    hostile = Outcome("gpu-count", "failed", "a\nb\x1b[31m" + "x" * 1000, "gpu\n0" + "y" * 1000)
    (outcome,) = Checks([Told("gpu-count", lambda: [hostile])]).run(node.machine())
    assert outcome.message.isprintable()
    assert outcome.device.isprintable()
    assert (len(outcome.message), len(outcome.device)) == (500, 80)


def test_only_a_failure_keeps_a_node_from_jobs():
    for status in STATUSES:
        assert is_healthy([Outcome("gpu-count", status, "")]) == (status != "failed")


def test_the_worst_that_a_check_said_counts():
    said = [Outcome("gpu-ecc", status, "") for status in ("ok", "failed", "unknown", "warning", "absent")]
    assert worst_by_check([*said, Outcome("gpu-count", "absent", "")]) == {"gpu-ecc": "failed", "gpu-count": "absent"}


def test_every_check_is_named_as_its_file_and_once():
    files = [str(vars(module)["__name__"]).rpartition(".")[2] for module in CHECKS]
    assert [name.replace("-", "_") for name in NAMES] == files
    assert len(set(NAMES)) == len(NAMES)


def test_every_file_that_holds_a_check_is_run():
    (folder,) = trainyard_node.health.__path__
    holding = {file.stem for file in Path(folder).glob("*.py") if "\nNAME = " in file.read_text()}
    assert holding == {name.replace("-", "_") for name in NAMES}


def test_a_check_leaves_each_program_before_the_verdict_is_due():
    assert shared_mounted.TIMEOUT_S + mounts.GRACE_S < DEADLINE_S
    assert 2 * clock_in_sync.TIMEOUT_S < DEADLINE_S
    assert efa_provider.TIMEOUT_S < DEADLINE_S


def test_a_bare_machine_gets_an_answer_of_every_check(node: Node):
    outcomes = Checks().run(node.machine())
    assert set(worst_by_check(outcomes)) == set(NAMES)
    assert is_healthy(outcomes), [outcome for outcome in outcomes if outcome.status == "failed"]
