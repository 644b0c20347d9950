"""How long the CPUs of a node were idle, of the file that the kernel writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.node.collectors.cpu_stat import show_cpus
from tests.node.collectors.exposed import exposed
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard_node.collectors.cpu import CpuCollector
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def collector(root: Path) -> CpuCollector:
    clock = FakeClock()
    return CpuCollector(World(Places(str(root)), clock, FakeProcesses(clock)))


def read(running: CpuCollector) -> tuple[float, float]:
    found = {name: value for (name, _), value in exposed(running.collect().text()).items()}
    return found["trainyard_cpus"], found["trainyard_cpu_idle_seconds_total"]


def test_all_cpus_are_counted_and_what_they_idle_is_added_up_from_zero(tmp_path: Path):
    show_cpus(tmp_path, 192, 5000)
    running = collector(tmp_path)
    assert read(running) == (192, 0)
    show_cpus(tmp_path, 192, 5000 + 10 * TICKS_PER_S)
    assert read(running) == (192, 1920)


def test_a_counter_that_goes_back_a_little_leaves_the_sum_where_it_was(tmp_path: Path):
    running = collector(tmp_path)
    for ticks in (1000, 1000 + TICKS_PER_S, 990 + TICKS_PER_S):
        show_cpus(tmp_path, 2, ticks)
        assert read(running)[1] == (0 if ticks == 1000 else 2)


def test_this_machine_is_read(tmp_path: Path):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_bytes(Path("/proc/stat").read_bytes())
    assert read(collector(tmp_path)) == (os.sysconf("SC_NPROCESSORS_ONLN"), 0)


@pytest.mark.parametrize("text", ["", "cpu  1 2 3\n", "cpu  1 2 3 4 5\n", "cpu0 1 2 3 4\n"])
def test_a_file_of_another_form_is_a_failure(tmp_path: Path, text: str):
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/stat").write_text(text)
    with pytest.raises(NodeError, match="/proc/stat does not say how long the CPUs were idle"):
        collector(tmp_path).collect()


def test_a_file_that_is_not_there_is_a_failure(tmp_path: Path):
    with pytest.raises(NodeError, match="/proc/stat cannot be read: No such file or directory"):
        collector(tmp_path).collect()
