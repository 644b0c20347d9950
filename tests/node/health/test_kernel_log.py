"""The kernel's log, from files and pipes in its place."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from tests.node.doubles import FakeClock
from tests.node.health.node import Node
from trainyard_node.health.kernel_log import KernelLog, Line, kernel_log

# As the page of the interface has them.
RECORDS = (
    "7,160,424069;pci_root PNP0A03:00: host bridge window [io  0x0000-0x0cf7] (ignored)\n"
    " SUBSYSTEM=acpi\n"
    " DEVICE=+acpi:PNP0A03:00\n"
    "6,339,5140900;NET: Registered protocol family 10\n"
    "30,340,5690716;udevd[80]: starting version 181\n"
)


class Hurrying(FakeClock):
    """A clock that moves on whenever it is asked."""

    def seconds(self) -> float:
        self.passed_s += 2.0
        return self.passed_s


def read(node: Node, wanted: bytes = b"") -> KernelLog:
    return kernel_log(node.places, node.world.clock, wanted)


def test_messages_are_found_with_their_time(node: Node):
    node.write("/dev/kmsg", RECORDS)
    assert read(node, b"NET").lines == (Line(5.1409, "NET: Registered protocol family 10"),)


def test_what_a_message_is_about_is_no_message(node: Node):
    node.write("/dev/kmsg", RECORDS)
    assert read(node, b"SUBSYSTEM").lines == ()


def test_what_programs_write_is_not_what_the_kernel_says(node: Node):
    # The facility of what comes from programs is never the kernel's, 0: 30 is 3 times 8, and 6.
    node.write("/dev/kmsg", RECORDS)
    assert read(node, b"udevd").lines == ()


def test_records_that_were_overwritten_are_counted(node: Node):
    node.write("/dev/kmsg", RECORDS)
    assert read(node).gone == 160
    node.write("/dev/kmsg", "6,0,0;Linux version 6.8.0\n")
    assert read(node).gone == 0


def test_a_log_that_goes_on_is_read_to_its_present_end(node: Node):
    file = pipe(node)
    writing = os.open(file, os.O_RDWR)
    os.write(writing, RECORDS.encode())
    found = read(node, b"NET")
    os.close(writing)
    assert (len(found.lines), found.is_cut) == (1, False)


def test_a_kernel_that_writes_without_end_is_not_listened_to_for_ever(node: Node):
    node.link("/dev/kmsg", "/dev/zero")
    found = kernel_log(node.places, Hurrying(), b"NET")
    assert (found.lines, found.is_cut) == ((), True)


def test_a_line_that_never_ends_and_one_of_rubbish_hide_nothing(node: Node):
    file = node.write("/dev/kmsg", "")
    long = b"6,1,1;NET " + b"x" * 200_000 + b"\n"
    file.write_bytes(long + b"\x00\xff\xfe,;\n6,99999999999999999999999,1;NET\n" + b"6,2,2000000;NET \xff here\n")
    lines = read(node, b"NET").lines
    assert lines[-1] == Line(2.0, "NET \ufffd here")
    assert all(len(line.text) <= 1_000 for line in lines)


def test_a_line_that_never_ends_takes_little_memory(node: Node):
    file = node.write("/dev/kmsg", "")
    file.write_bytes(b"6,1,1;NET " + b"x" * 10_000_000)
    tracemalloc.start()
    found = read(node, b"NET")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.lines) == 1
    assert peak < 1_000_000


@pytest.mark.parametrize("there", ["nothing", "a folder"])
def test_a_log_that_cannot_be_read_is_an_error(node: Node, there: str):
    if there == "a folder":
        node.places.at("/dev/kmsg").mkdir(parents=True)
    with pytest.raises(OSError):
        read(node)


def pipe(node: Node) -> Path:
    file = node.places.at("/dev/kmsg")
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    return file
