"""Xids in the kernel's log. The lines are real, of the threads beside them; only numbers are other."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.diagnose.log_cases import LINES
from tests.node.health.gpus import nodes_without_gpus, p5, p5_without_answer
from tests.node.health.node import Node
from trainyard_node.health.gpu_xid import check
from trainyard_node.health.xid import table

CASES = [pytest.param(one, id=one["id"]) for one in LINES if one["id"].startswith("xid")]
# What journalctl and dmesg print before a message, and the kernel's own log does not hold.
BEFORE_MESSAGE = re.compile(r"^(\w{3} +\d+ [0-9:]+ \S+ kernel: )?(\[[^]]+\] )?")
DBE = (  # https://github.com/NVIDIA/k8s-device-plugin/issues/111
    "NVRM: Xid (PCI:0000:0f:1c): 48, pid=78929, name=python3, DBE (double bit error) detected at address 0x2f3a10c0 "
    "on partition 6, subpartition 1"
)
REMAPPED = (  # https://github.com/stas00/ml-engineering/blob/master/compute/accelerator/nvidia/debug.md
    "NVRM: Xid (PCI:0000:10:1c): 63, pid=1896, Row Remapper: New row marked for remapping, reset gpu to activate."
)
FALLEN = (  # https://github.com/akash-network/support/issues/209
    "NVRM: Xid (PCI:0000:75:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
)
CONTAINED = (  # https://github.com/akash-network/support/issues/244
    "NVRM: Xid (PCI:0000:97:08): 94, pid='<unknown>', name=<unknown>, Contained: SM (0x1). RST: No, D-RST: No"
)
OLDER = "NVRM: Xid (0000:03:00): 14, Channel 00000001"  # https://docs.nvidia.com/deploy/xid-errors/
LINK = (  # a published decision-flow document for Xid 74
    "NVRM: Xid (PCI:0003:00:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on "
    "link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)"
)
APPLICATION = "NVRM: Xid (PCI:0000:53:00): 31, pid=4242, name=python3, Ch 0000000a, MMU Fault: ENGINE GRAPHICS"
ANNOUNCED = "NVRM: Xid (PCI:0000:53:00): 154, GPU recovery action changed from 0x0 (None) to "


def log(node: Node, *lines: str, first: int = 0, prefix: str = "4") -> None:
    """Write the kernel's log: one message a second."""
    records = [f"{prefix},{first + number},{number * 1_000_000},-;{line}\n" for number, line in enumerate(lines)]
    node.write("/dev/kmsg", "".join(records))


def test_a_log_without_xids_is_well(node: Node):
    log(node, "Linux version 6.8.0-1040-aws", "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.105.08")
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.message) == ("ok", "no Xid in the kernel's log")


@pytest.mark.parametrize(
    ("line", "status", "device", "message"),
    [
        (DBE, "failed", "PCI 0000:0f:1c", "Xid 48, double bit ECC error, once, 0 s after boot: pid=78929"),
        (REMAPPED, "warning", "PCI 0000:10:1c", "Xid 63, row of memory to be remapped, once, 0 s after boot: pid=1896"),
        (FALLEN, "failed", "PCI 0000:75:00", "Xid 79, GPU has fallen off the bus, once, 0 s after boot: pid='<un"),
        (CONTAINED, "warning", "PCI 0000:97:08", "Xid 94, contained memory error, once, 0 s after boot: pid='<un"),
        (LINK, "failed", "PCI 0003:00:00", "Xid 74, NVLink error, once, 0 s after boot: pid='<unknown>'"),
    ],
    ids=["48", "63", "79", "94", "74"],
)  # fmt: skip
def test_real_lines_are_judged(node: Node, line: str, status: str, device: str, message: str):
    log(node, line)
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.device) == (status, device)
    assert outcome.message.startswith(message)
    assert outcome.remedy
    assert outcome.source.startswith("https://")


@pytest.mark.parametrize("case", CASES)
def test_what_others_called_harmful_is_not_called_harmless(node: Node, case: dict[str, Any]):
    log(node, *(BEFORE_MESSAGE.sub("", line) for line in case["lines"]))
    assert {outcome.status for outcome in check(p5(node))} <= {"failed", "warning"}
    assert case["harmless"] is False


def test_a_gpu_is_named_by_its_number_where_nvml_answers(node: Node):
    log(node, FALLEN.replace("0000:75:00", "0000:55:00"))
    assert [outcome.device for outcome in check(p5(node))] == ["gpu 2"]
    assert [outcome.device for outcome in check(p5_without_answer(node))] == ["PCI 0000:55:00"]


def test_number_and_meaning_are_told_apart_from_what_the_driver_wrote(node: Node):
    log(node, FALLEN, "NVRM: Xid (PCI:0000:53:00): 9999, pid=1, something new")
    told = [(outcome.code, outcome.text) for outcome in check(p5(node))]
    assert told == [("79", "GPU has fallen off the bus"), ("9999", "not in the table of this program")]


def test_xids_of_applications_are_counted_and_keep_nobody_out(node: Node):
    log(node, APPLICATION, APPLICATION, OLDER)
    (outcome,) = check(p5(node))
    assert outcome.status == "ok"
    assert "31 on PCI 0000:53:00 (2), 14 on PCI 0000:03:00 (1)" in outcome.message


def test_an_xid_that_comes_again_is_said_once_with_its_number_and_last_time(node: Node):
    log(node, FALLEN, APPLICATION, FALLEN, FALLEN)
    (outcome,) = check(p5(node))
    assert "3 times, last 3 s after boot" in outcome.message


def test_each_gpu_has_its_own_and_the_worst_comes_first(node: Node):
    log(node, CONTAINED, FALLEN, FALLEN.replace("75:00", "08:01"))
    assert [outcome.device for outcome in check(p5(node))] == ["PCI 0000:75:00", "PCI 0000:08:01", "PCI 0000:97:08"]


def test_an_xid_that_the_table_lacks_is_a_warning_that_names_its_number(node: Node):
    log(node, "NVRM: Xid (PCI:0000:53:00): 9999, pid=1, something new")
    (outcome,) = check(p5(node))
    assert outcome.status == "warning"
    assert outcome.message.startswith("Xid 9999 (of unknown severity)")


@pytest.mark.parametrize(
    ("action", "status"),
    [("0x2 (Node Reboot Required)", "failed"), ("0x1 (GPU Reset Required)", "failed"), ("0x3 (Drain P2P)", "failed"),
     ("0x4 (Drain and Reset)", "failed"), ("0x0 (None)", "ok"), ("0x9 (Something New)", "warning"), ("no", "warning")],
)  # fmt: skip
def test_an_announced_recovery_action_is_as_severe_as_it_says(node: Node, action: str, status: str):
    log(node, ANNOUNCED + action)
    assert [outcome.status for outcome in check(p5(node))] == [status]


def test_a_later_announcement_takes_the_place_of_an_earlier_one(node: Node):
    log(node, ANNOUNCED + "0x1 (GPU Reset Required)", ANNOUNCED + "0x0 (None)")
    assert [outcome.status for outcome in check(p5(node))] == ["ok"]


def test_nobody_but_the_kernel_can_report_an_xid(node: Node):
    log(node, FALLEN, prefix="12")
    assert [outcome.status for outcome in check(p5(node))] == ["ok"]


@pytest.mark.parametrize("before", ["oom-kill:task_memcg=/user.slice/", "python3[71]: segfault at 0 in ", " "])
def test_the_name_of_a_process_that_reads_like_an_xid_is_none(node: Node, before: str):
    log(node, before + FALLEN)
    assert [outcome.status for outcome in check(p5(node))] == ["ok"]


def test_a_log_that_has_lost_its_beginning_says_so(node: Node):
    log(node, "Linux is fine", first=5123)
    (outcome,) = check(p5(node))
    assert outcome.message == "no Xid in the kernel's log; the log has lost its first 5123 records, and what they said"


def test_a_log_that_cannot_be_read_is_unknown_and_names_the_capability(node: Node):
    (outcome,) = check(p5(node))
    assert (outcome.status, outcome.device) == ("unknown", "/dev/kmsg")
    assert "CAP_SYSLOG" in outcome.remedy


def test_a_message_that_never_ends_is_cut(node: Node):
    log(node, FALLEN + "x" * 100_000)
    (outcome,) = check(p5(node))
    assert len(outcome.message) < 400


def test_a_node_without_gpus_is_left_alone(node: Node):
    assert [outcome.status for machine in nodes_without_gpus(node) for outcome in check(machine)] == ["absent"] * 4


def test_every_row_of_the_table_has_a_known_severity_and_a_source():
    xids = table().xids
    assert {xid.severity for xid in xids.values()} == {"fatal", "warning", "info", "application"}
    assert {number for number, xid in xids.items() if xid.severity == "fatal"} == {
        46, 48, 54, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 151, 155, 156, 158, 168
    }  # fmt: skip
    assert all(xid.name and xid.remedy and xid.source.startswith("https://") for xid in xids.values())
    assert list(xids) == sorted(xids)
