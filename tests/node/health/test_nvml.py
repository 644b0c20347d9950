"""NVML, read by a child process through the vendored library: of sound and ill GPUs that a stand-in in C has."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.node.machine import pythons
from trainyard.bootstrap.pyz import trainyard_node_pyz
from trainyard_node.clock import RealClock
from trainyard_node.errors import HARDWARE, LATER, NodeError
from trainyard_node.health.checks import Checks
from trainyard_node.health.machine import ExpectedHardware, Machine
from trainyard_node.health.nvml import NvLink, read_gpus
from trainyard_node.health.outcome import Outcome
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.processes import RealProcesses

pytestmark = pytest.mark.integration
SOURCE = Path(__file__).with_name("libnvidia_ml.c")
GPU_CHECKS = ("gpu-driver", "gpu-count", "gpu-ecc", "gpu-row-remap", "gpu-nvlink", "gpu-fabric", "gpu-clocks")


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Compile the stand-in, as it is today and as it was some years ago. Return the folders."""
    folders = {name: tmp_path_factory.mktemp(name) for name in ("today", "old")}
    for name, options in {"today": [], "old": ["-DOLD_LIBRARY"]}.items():
        out = folders[name] / "libnvidia-ml.so.1"
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", *options, "-o", out, SOURCE], check=True
        )
    return folders


@pytest.fixture
def stub(libraries: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., World]:
    """Return what lets the library say some things, and gives the world that it is in."""

    def told(*lines: str, library: str = "today") -> World:
        file = tmp_path / "stub"
        file.write_text("".join(f"{line}\n" for line in lines))
        monkeypatch.setenv("NVML_STUB", str(file))
        monkeypatch.setenv("LD_LIBRARY_PATH", str(libraries[library]))
        return World(Places(str(tmp_path / "root")), RealClock(), RealProcesses())

    return told


def judged(world: World) -> dict[str, list[Outcome]]:
    """Return what the checks make of it that need the library, but for what is sound."""
    version = world.places.at("/sys/module/nvidia/version")
    version.parent.mkdir(parents=True)
    version.write_text("580.105.08\n")
    machine = Machine(world, ExpectedHardware(gpus=8, fabric="none", setup="gpu"), lambda: read_gpus(world))
    found: dict[str, list[Outcome]] = {}
    for outcome in Checks().run(machine):
        if outcome.check in GPU_CHECKS and outcome.status not in {"ok", "absent"}:
            found.setdefault(outcome.check, []).append(outcome)
    return found


def test_eight_sound_gpus_are_read_whole(stub: Callable[..., World]):
    seen = read_gpus(stub())
    assert (seen.driver_version, seen.nvml_version, seen.cuda_driver_version) == ("580.105.08", "13.580.105.08", 13000)
    assert [gpu.index for gpu in seen.gpus] == list(range(8))
    assert {(*gpu.problems, gpu.fault) for gpu in seen.gpus} == {("",)}
    gpu = seen.gpus[2]
    assert (gpu.pci_bus_id, gpu.name, gpu.serial) == ("00000000:55:00.0", "NVIDIA H100 80GB HBM3", "1650523000002")
    assert gpu.nvlinks == tuple(NvLink(link, True, 0, 0, 0) for link in range(18))  # noqa: FBT003 - as NVML has it
    assert (gpu.ecc_enabled, gpu.ecc_uncorrected_volatile, gpu.remap_failed, gpu.retired_pending) == (
        True,
        0,
        False,
        None,
    )
    assert (gpu.clock_event_reasons, gpu.temperature_c, gpu.power_w, gpu.persistence) == (1, 34, 71.5, True)
    assert gpu.recovery_action == 0
    assert (gpu.mig, gpu.fabric_state, gpu.fabric_status, gpu.fabric_health) == (False, "completed", "success", 0)


def test_sound_gpus_are_sound_for_every_check(stub: Callable[..., World]):
    assert judged(stub()) == {}


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("5 nvmlDeviceGetHandleByIndex_v2 !15", ("gpu-count", "failed", "gpu 5", "is lost")),
        ("5 nvmlDeviceGetEccMode !15", ("gpu-count", "failed", "gpu 5", "is lost")),
        ("5 nvmlDeviceGetHandleByIndex_v2 !16", ("gpu-count", "failed", "gpu 5", "requires a reset")),
        ("* nvmlDeviceGetCount_v2 7", ("gpu-count", "failed", "", "7 GPUs instead of 8")),
        ("1 nvmlDeviceGetMigMode 1", ("gpu-count", "warning", "gpu 1", "MIG is on")),
        ("3 volatile 4", ("gpu-ecc", "warning", "gpu 3", "4 uncorrected")),
        ("3 nvmlDeviceGetEccMode 0", ("gpu-ecc", "warning", "gpu 3", "off")),
        ("0 failed 1", ("gpu-row-remap", "failed", "gpu 0", "could not be remapped")),
        ("0 pending 1", ("gpu-row-remap", "warning", "gpu 0", "next reset")),
        ("7 recoveries11 2", ("gpu-nvlink", "warning", "gpu 7", "2 recoveries (links 11)")),
        ("6 clocks 72", ("gpu-clocks", "warning", "gpu 6", "hardware thermal slowdown")),
        ("6 clocks !999", ("gpu-clocks", "unknown", "gpu 6", "Unknown Error")),
    ],
)
def test_an_ill_gpu_is_found_by_the_check_that_is_for_it(
    stub: Callable[..., World], told: str, found: tuple[str, str, str, str]
):
    check, status, device, words = found
    everything = judged(stub(told))
    assert list(everything) == [check]
    (outcome,) = everything[check]
    assert (outcome.status, outcome.device) == (status, device)
    assert words in outcome.message


def test_an_error_after_which_the_gpu_asks_for_a_reset_is_a_failure(stub: Callable[..., World]):
    (outcome,) = judged(stub("3 volatile 4", "3 recovery-action 1"))["gpu-ecc"]
    assert (outcome.status, outcome.device) == ("failed", "gpu 3")


def test_a_driver_without_recovery_actions_has_none_and_no_problem(stub: Callable[..., World]):
    gpu = read_gpus(stub("* recovery-action !3")).gpus[0]
    assert (gpu.recovery_action, gpu.problems) == (None, ())


def test_a_library_that_does_not_say_its_version_is_no_ill_gpu(stub: Callable[..., World]):
    assert judged(stub("* nvmlSystemGetNVMLVersion !999")) == {}


def test_a_lost_gpu_does_not_hide_what_is_wrong_with_another(stub: Callable[..., World]):
    found = judged(stub("5 nvmlDeviceGetHandleByIndex_v2 !15", "6 volatile 1"))
    assert {check: [outcome.device for outcome in outcomes] for check, outcomes in found.items()} == {
        "gpu-count": ["gpu 5"], "gpu-ecc": ["gpu 6"],
    }  # fmt: skip


def test_a_gpu_that_is_lost_on_the_way_is_asked_nothing_more(stub: Callable[..., World]):
    gpu = read_gpus(stub("5 nvmlDeviceGetEccMode !15")).gpus[5]
    assert gpu.problems == ("nvmlDeviceGetEccMode: GPU is lost",)
    assert (gpu.uuid, gpu.nvlinks, gpu.temperature_c) == ("GPU-00000000-0000-0000-0000-000000000005", None, None)


def test_what_is_not_supported_is_none_and_no_problem(stub: Callable[..., World]):
    calls = ("nvmlDeviceGetEccMode", "volatile", "aggregate", "nvmlDeviceGetRemappedRows", "fabric-status", "link3")
    gpu = read_gpus(stub(*(f"* {call} !3" for call in calls))).gpus[0]
    assert (gpu.ecc_enabled, gpu.ecc_uncorrected_volatile, gpu.remap_failed, gpu.fabric_state) == (None,) * 4
    assert 3 not in {link.link for link in gpu.nvlinks or ()}
    assert gpu.problems == ()


def test_an_old_library_that_lacks_functions_is_asked_by_their_old_names(stub: Callable[..., World]):
    gpu = read_gpus(stub(library="old")).gpus[0]
    assert (gpu.clock_event_reasons, gpu.fabric_state, gpu.fabric_health) == (1, "completed", None)
    assert gpu.problems == ()


@pytest.mark.parametrize(("state", "words"), [(0, None), (1, "not started"), (2, "in progress"), (7, "state 7")])
def test_the_state_of_the_fabric_is_told_in_words(stub: Callable[..., World], state: int, words: str | None):
    assert read_gpus(stub(f"* fabric-state {state}")).gpus[0].fabric_state == words


def test_a_link_that_is_down_and_one_that_sleeps_are_told_apart(stub: Callable[..., World]):
    links = read_gpus(stub("* link7 0", "* link8 2")).gpus[0].nvlinks or ()
    assert [link.link for link in links if not link.active] == [7]


@pytest.mark.parametrize(
    ("error", "words"),
    [(9, "driver is not loaded"), (18, "of different versions"), (4, "as root"), (17, "keeps this process"),
     (999, "NVML does not start: Unknown Error"), (28, "NVML does not start: Gpu Not Found")],
)  # fmt: skip
def test_a_library_that_does_not_start_is_said_in_clear_words(stub: Callable[..., World], error: int, words: str):
    with pytest.raises(NodeError, match=words) as raised:
        read_gpus(stub(f"* nvmlInitWithFlags !{error}"))
    assert raised.value.status == HARDWARE


def test_a_missing_library_is_said_in_clear_words(stub: Callable[..., World], monkeypatch: pytest.MonkeyPatch):
    world = stub()
    monkeypatch.delenv("LD_LIBRARY_PATH")
    with pytest.raises(NodeError, match=r"libnvidia-ml\.so\.1 is missing"):
        read_gpus(world)


# The pipe of a program that is ended is closed by the garbage collector, which pytest objects to.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("call", ["nvmlInitWithFlags", "nvmlDeviceGetTemperature"])
def test_a_driver_that_hangs_is_left_at_the_deadline(stub: Callable[..., World], call: str):
    with pytest.raises(NodeError, match="did not answer in 2 s") as raised:
        read_gpus(stub(f"* {call} hangs"), deadline_s=2.0)
    assert raised.value.status == LATER


def test_a_library_that_crashes_takes_only_its_process_with_it(stub: Callable[..., World]):
    with pytest.raises(NodeError, match="ended with status -6"):
        read_gpus(stub("4 nvmlDeviceGetUUID crashes"))


@pytest.mark.parametrize("python", pythons(), ids=str)
def test_every_python_reads_the_gpus_from_the_archive(stub: Callable[..., World], tmp_path: Path, python: Path):
    stub("2 volatile 3")
    pyz = tmp_path / "trainyard-node.pyz"
    pyz.write_bytes(trainyard_node_pyz())
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from trainyard_node.health.nvml import read_gpus\n"
        "from trainyard_node.processes import RealProcesses\n"
        "from trainyard_node.machine import World\n"
        "seen = read_gpus(World(None, None, RealProcesses()))\n"
        "print([gpu.ecc_uncorrected_volatile for gpu in seen.gpus])"
    )
    ran = subprocess.run([python, "-I", "-c", code, pyz], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [0, 0, 3, 0, 0, 0, 0, 0]


def test_the_library_is_loaded_in_the_child_alone(stub: Callable[..., World]):
    read_gpus(stub())
    assert "libnvidia-ml" not in Path("/proc/self/maps").read_text()
    assert "pynvml" not in sys.modules
