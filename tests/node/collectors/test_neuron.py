"""The collector of Neuron devices, on the driver's files and on reports, good ones and such as should never come."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.collectors.exposed import exposed
from tests.node.collectors.neuron_tree import DEVICES, PROGRAM, report, show_devices
from tests.node.doubles import FakeClock, FakeProcesses
from tests.waiting import wait_until
from trainyard_node.collectors.collector import NothingHere
from trainyard_node.collectors.neuron import NeuronCollector
from trainyard_node.collectors.neuron_monitor import NeuronMonitor
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.places import Places

GOLDEN = Path(__file__).parent / "golden" / "neuron-trn1.prom"
ECC = {"sram_ecc_uncorrected": 2, "mem_ecc_repairable_uncorrected": 1}


class Given:
    """Gives reports, or fails, as often as there is something left."""

    def __init__(self, *answers: list[Any] | NodeError) -> None:
        self._answers = list(answers)

    def take(self) -> list[Mapping[str, Any]]:
        answer = self._answers.pop(0) if self._answers else []
        if isinstance(answer, NodeError):
            raise answer
        return answer


def collector(root: Path, *answers: list[Any] | NodeError) -> NeuronCollector:
    clock = FakeClock()
    return NeuronCollector(World(Places(str(root)), clock, FakeProcesses(clock)), Given(*answers))


def figures(made: NeuronCollector) -> dict[tuple[str, ...], float]:
    read = exposed(made.collect().text())
    return {(name, *(value for _, value in labels)): number for (name, labels), number in read.items()}


def test_a_trn1_gives_the_golden_exposition(tmp_path: Path):
    assert golden(tmp_path) == GOLDEN.read_text()


def golden(root: Path) -> str:
    show_devices(root, ecc=ECC)
    return collector(root, [report(), report(utilization=91.0, numerical=1)]).collect().text()


@pytest.mark.integration
def test_promtool_has_nothing_to_say_about_it():
    promtool = shutil.which("promtool")
    assert promtool is not None
    said = subprocess.run([promtool, "check", "metrics"], input=GOLDEN.read_bytes(), capture_output=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")


def test_executions_and_errors_count_on_from_reading_to_reading(tmp_path: Path):
    show_devices(tmp_path)
    made = collector(tmp_path, [report(completed=3)], [report(completed=4, hardware=1), report(completed=5)])
    assert figures(made)["execution_status_total", "completed"] == 32 * 3
    read = figures(made)
    assert read["execution_status_total", "completed"] == 32 * 12
    assert read["execution_errors_total", "hardware"] == 32
    assert read["execution_errors_total", "numerical"] == 0


def test_utilization_is_the_mean_of_reports_and_0_where_nothing_runs(tmp_path: Path):
    show_devices(tmp_path)
    read = figures(collector(tmp_path, [report(2, 40.0), report(2, 60.0)]))
    assert read["neuroncore_utilization_ratio", "1"] == 0.5
    assert read["neuroncore_utilization_ratio", "31"] == 0
    assert read["trainyard_neuroncore_memory_used_bytes", "0"] == (3 << 30) + (1 << 20)
    assert read["trainyard_neuron_applications",] == 2


def test_a_node_has_the_same_series_whatever_processes_come_and_go(tmp_path: Path):
    show_devices(tmp_path)
    busy, later = report(), report()
    for runtime in later["neuron_runtime_data"]:
        runtime["neuron_runtime_tag"] = runtime["pid"] = runtime["pid"] + 900
    made = collector(tmp_path, [busy], [later])
    assert set(figures(made)) == set(figures(made))


def test_two_cores_of_trainium2_are_one_to_applications(tmp_path: Path):
    show_devices(tmp_path)
    of_trn2 = report(0)
    of_trn2["neuron_hardware_info"].update(neuroncore_per_device_count=8, logical_neuroncore_config=2)
    read = figures(collector(tmp_path, [of_trn2]))
    assert sum(key[0] == "neuroncore_utilization_ratio" for key in read) == 64


def test_the_driver_counts_whatever_becomes_of_neuron_monitor(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    show_devices(tmp_path, ecc=ECC)
    made = collector(tmp_path, NodeError("no such program"), NodeError("no such program"))
    read = figures(made)
    assert read["hardware_ecc_events_total", "sram_ecc_uncorrected", "15"] == 2
    assert read["trainyard_neuron_power_ratio", "0"] == 0.605
    assert read["trainyard_neuron_devices",] == 16
    assert read["trainyard_neuron_reporting",] == 0
    assert ("trainyard_neuron_applications",) not in read
    figures(made)
    assert capsys.readouterr().err.count("no such program") == 1


def test_an_old_driver_shows_only_devices(tmp_path: Path):
    (tmp_path / DEVICES / "neuron0").mkdir(parents=True)
    assert figures(collector(tmp_path)) == {("trainyard_neuron_devices",): 1, ("trainyard_neuron_reporting",): 0}


def test_a_node_without_devices_exports_nothing_and_starts_nothing(tmp_path: Path):
    with pytest.raises(NothingHere):
        collector(tmp_path, NodeError("asked")).collect()


def test_a_runtime_that_could_not_be_asked_counts_nothing(tmp_path: Path):
    show_devices(tmp_path)
    broken = report(2)
    broken["neuron_runtime_data"][0]["error"] = "cannot attach"
    broken["neuron_runtime_data"][1]["report"]["execution_stats"]["error"] = "timed out"
    read = figures(collector(tmp_path, [broken]))
    assert read["execution_status_total", "completed"] == 0
    assert read["trainyard_neuron_applications",] == 1


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PLACES = (
    ("neuron_runtime_data",),
    ("neuron_runtime_data", 0),
    ("neuron_runtime_data", 0, "report"),
    ("neuron_runtime_data", 0, "report", "execution_stats", "execution_summary"),
    ("neuron_runtime_data", 0, "report", "execution_stats", "latency_stats"),
    ("neuron_runtime_data", 0, "report", "memory_used", "neuron_runtime_used_bytes"),
    ("neuron_runtime_data", 0, "report", "neuroncore_counters", "neuroncores_in_use"),
    ("neuron_hardware_info",),
)


@given(place=st.sampled_from(PLACES), value=ANYTHING)
def test_whatever_stands_in_a_report_the_exposition_holds(
    place: tuple[str | int, ...], value: Any, tmp_path_factory: pytest.TempPathFactory
):
    root = tmp_path_factory.getbasetemp() / "neuron-any"
    if not root.exists():
        show_devices(root, 1)
    strange: Any = report(2)
    inner = strange
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    read = figures(collector(root, [strange]))
    assert all(number == number and number >= 0 for number in read.values())  # noqa: PLR0124  NaN is not itself
    assert len(read) < 2500


@pytest.mark.integration
def test_the_program_is_started_once_and_again_when_it_ends(tmp_path: Path):
    program = tmp_path / PROGRAM
    program.parent.mkdir(parents=True)
    line = json.dumps(report(1))
    reports = f"cat <<'END'\n{line}\nnot json\n[1]\n{line}\nEND\n"
    program.write_text(f"#!/bin/sh\necho x >> {tmp_path}/starts\n{reports}read _ < {tmp_path}/end\n")
    subprocess.run(["mkfifo", tmp_path / "end"], check=True)
    program.chmod(0o755)
    monitor = NeuronMonitor(Places(str(tmp_path)))
    taken: list[Mapping[str, Any]] = []
    wait_until(lambda: len(_into(taken, monitor)) == 2)
    assert monitor.take() == []
    assert (tmp_path / "starts").read_text() == "x\n"
    (tmp_path / "end").write_text("\n")
    said: list[str] = []
    wait_until(lambda: _told(monitor, said))
    assert said == ["neuron-monitor ended with status 0, and was started again"]
    monitor.close()


def _into(taken: list[Mapping[str, Any]], monitor: NeuronMonitor) -> list[Mapping[str, Any]]:
    taken += monitor.take()
    return taken


def _told(monitor: NeuronMonitor, said: list[str]) -> bool:
    try:
        monitor.take()
    except NodeError as error:
        said.append(str(error))
    return bool(said)


def test_a_missing_program_says_what_to_install(tmp_path: Path):
    with pytest.raises(NodeError, match=r"neuron-monitor cannot be run .*: install aws-neuronx-tools"):
        NeuronMonitor(Places(str(tmp_path))).take()


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        GOLDEN.write_text(golden(Path(folder)))
