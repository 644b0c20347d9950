"""Whether the clock is right."""

from __future__ import annotations

import pytest

from tests.node.health.node import Node
from trainyard_node.health.clock_in_sync import check
from trainyard_node.processes import NOT_FOUND

# The form of `chronyc -c -n tracking`, with Amazon's time server.
TRACKING = (
    "A9FEA97B,169.254.169.123,4,1795262400.123456789,{},0.000001,0.000005,-7.1,0.0,0.01,0.000300,0.000200,16.1,{}\n"
)


def tracking(node: Node, offset: str = "-0.000012", leap: str = "Normal") -> None:
    node.says("chronyc", TRACKING.format(offset, leap))


def test_a_clock_that_chrony_keeps_is_well(node: Node):
    tracking(node)
    (outcome,) = check(node.machine())
    assert (outcome.status, outcome.message) == ("ok", "chrony keeps the clock within 12 µs")
    assert node.processes.commands == [["chronyc", "-c", "-n", "tracking"]]


# Said by chrony 4.3 of Debian 12, with a clock of its own and with no source of time; zeros are shortened.
KEPT = "7F7F0101,,10,1795274278.683157096,0.0,0.0,0.0,0.000,0.000,0.000,0.000000000,0.000000000,0.0,Normal"
LEFT_ALONE = "00000000,,0,0.000000000,0.0,0.0,0.0,0.000,0.000,0.000,1.000000000,1.000000000,0.0,Not synchronised"


@pytest.mark.parametrize(("line", "status"), [(KEPT, "ok"), (LEFT_ALONE, "warning")])
def test_what_chrony_4_3_of_debian_12_said_is_understood(node: Node, line: str, status: str):
    node.says("chronyc", f"{line}\n")
    assert [outcome.status for outcome in check(node.machine())] == [status]


def test_a_clock_without_a_source_is_a_warning(node: Node):
    tracking(node, "0.0", "Not synchronised")
    (outcome,) = check(node.machine())
    assert outcome.status == "warning"
    assert "169.254.169.123" in outcome.remedy


@pytest.mark.parametrize("offset", ["300.0", "-4000.5"])
def test_a_clock_that_munge_does_not_accept_is_a_failure(node: Node, offset: str):
    tracking(node, offset)
    (outcome,) = check(node.machine())
    assert outcome.status == "failed"
    assert "munge" in outcome.message


def test_nearly_five_minutes_are_none(node: Node):
    tracking(node, "299.9")
    assert [outcome.status for outcome in check(node.machine())] == ["ok"]


def test_a_coming_leap_second_is_nothing_wrong(node: Node):
    tracking(node, leap="Insert second")
    assert [outcome.status for outcome in check(node.machine())] == ["ok"]


@pytest.mark.parametrize(("said", "status"), [("yes\n", "ok"), ("no\n", "warning"), ("maybe\n", "unknown")])
@pytest.mark.parametrize("chrony", ["506 Cannot talk to daemon\n", "rubbish,,,\n", "a,b,c,d,?,f,g,h,i,j,k,l,m,n\n"])
def test_without_an_answer_of_chrony_systemd_is_asked(node: Node, chrony: str, said: str, status: str):
    node.says("chronyc", chrony, status=int(chrony.startswith("506")))
    node.says("timedatectl", said)
    assert [outcome.status for outcome in check(node.machine())] == [status]


def test_a_node_that_has_neither_is_unknown(node: Node):
    for program in ("chronyc", "timedatectl"):
        node.says(program, "no such file", status=NOT_FOUND)
    assert [outcome.status for outcome in check(node.machine())] == ["unknown"]
