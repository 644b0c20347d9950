"""All that a node of each role exports, as one text: what a scrape gets."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.node.collectors.cpu_stat import show_cpus
from tests.node.collectors.efa_tree import EfaTree
from tests.node.collectors.exposed import exposed
from tests.node.collectors.neuron_tree import show_devices
from tests.node.collectors.recorded_programs import RecordedPrograms
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.monitoring.registry import registries
from trainyard_node.collectors.collector import Collector
from trainyard_node.collectors.cpu import CpuCollector
from trainyard_node.collectors.efa import EfaCollector
from trainyard_node.collectors.health import samples_of
from trainyard_node.collectors.lustre import LustreCollector
from trainyard_node.collectors.of_node import collectors_of_node
from trainyard_node.collectors.prices import PricesCollector
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.collectors.slurm.scheduler import SchedulerCollector
from trainyard_node.errors import NodeError
from trainyard_node.exposition import Exposition
from trainyard_node.health.checks import NAMES
from trainyard_node.health.outcome import Outcome
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.samples import Samples, metrics

GOLDEN = Path(__file__).parent / "golden"


class Health:
    """A node with eight GPUs, one of which is ill."""

    name = "health"
    interval_s = 300.0
    deadline_s = 15.0

    def collect(self) -> Samples:
        ill = Outcome("gpu-ecc", "failed", "GPU 3 has 2 uncorrected errors", "gpu 3")
        return samples_of([*(Outcome(name, "ok", "") for name in NAMES if name != ill.check), ill])


def world(root: Path) -> World:
    clock = FakeClock()
    return World(Places(str(root)), clock, FakeProcesses(clock))


def head(root: Path) -> list[Collector]:
    programs = RecordedPrograms("24.11")
    place = world(root)
    place.places.node_env.parent.mkdir(parents=True)
    place.places.node_env.write_text(
        "TRAINYARD_LIST_PRICES=':m5.8xlarge:on-demand:1.536 gpu:p5.48xlarge:on-demand:55.04 "
        "q:p5en.48xlarge:capacity_block:36.18 closed:m5.large:reservation:0.096'\n"
        "TRAINYARD_BUDGET_USD_MONTH='50000'\n"
    )
    return [SlurmCollector(programs), SchedulerCollector(programs, "vpenso"), PricesCollector(place)]


def compute_gpu(root: Path) -> list[Collector]:
    EfaTree(root).instance("p5")
    show_cpus(root, 192)
    return [CpuCollector(world(root)), EfaCollector(world(root)), LustreCollector(world(root)), Health()]


def compute_cpu(root: Path) -> list[Collector]:
    EfaTree(root).expect(0)
    show_cpus(root, 72)
    return [CpuCollector(world(root)), EfaCollector(world(root)), LustreCollector(world(root)), Health()]


ROLES = {"head": head, "compute-gpu": compute_gpu, "compute-cpu": compute_cpu}


def exposition(collectors: list[Collector]) -> bytes:
    made = Exposition(collectors, FakeClock())
    made.read_once()
    return b"".join(made.text())


@pytest.mark.parametrize("role", ROLES)
def test_a_role_exports_the_golden_text(role: str, tmp_path: Path):
    assert exposition(ROLES[role](tmp_path)).decode() == (GOLDEN / f"{role}.prom").read_text()


@pytest.mark.parametrize("role", ROLES)
def test_all_of_it_is_registered(role: str):
    registered = {name for file in registries() for name in metrics(file)}
    assert {name for name, _ in exposed((GOLDEN / f"{role}.prom").read_text())} <= registered


@pytest.mark.integration
@pytest.mark.parametrize("role", ROLES)
def test_promtool_accepts_it(role: str):
    promtool = shutil.which("promtool")
    assert promtool is not None
    text = (GOLDEN / f"{role}.prom").read_bytes()
    said = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, check=False)
    assert (said.returncode, said.stdout, said.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("head", ["slurm", "slurm-scheduler", "prices"]),
        ("compute-gpu", ["cpu", "efa", "lustre", "health"]),
        ("compute-none", ["cpu", "efa", "lustre", "health"]),
        ("login", []),
    ],
)
def test_a_node_reads_what_its_role_has(role: str, names: list[str], tmp_path: Path):
    place = world(tmp_path)
    place.places.node_env.parent.mkdir(parents=True)
    place.places.node_env.write_text(f"TRAINYARD_ROLE='{role}'\n")
    assert [collector.name for collector in collectors_of_node(place, RecordedPrograms(), None, "vpenso")] == names


def test_a_node_with_neuron_devices_reads_them(tmp_path: Path):
    place = world(tmp_path)
    place.places.node_env.parent.mkdir(parents=True)
    for setup, there in (("neuron", True), ("none", False)):
        place.places.node_env.write_text(f"TRAINYARD_ROLE='compute-trn'\nTRAINYARD_SETUP='{setup}'\n")
        assert ("neuron" in _names(place)) == there
    show_devices(tmp_path)
    assert _names(place) == ["cpu", "efa", "lustre", "neuron", "health"]


def test_a_node_of_kubernetes_tells_its_own_jobs(tmp_path: Path):
    place = world(tmp_path)
    place.places.node_env.parent.mkdir(parents=True)
    place.places.node_env.write_text("TRAINYARD_ROLE='compute-gpu'\n")
    assert "jobs" not in _names(place)
    place.places.at("/var/lib/kubelet").mkdir(parents=True)
    assert _names(place) == ["cpu", "efa", "lustre", "health", "jobs"]
    place.places.node_env.write_text(
        "TRAINYARD_ROLE='compute-gpu'\nTRAINYARD_LIST_PRICES='gpu:p5.48xlarge:on-demand:55.04'\n"
    )
    assert _names(place)[0] == "prices"


def _names(place: World) -> list[str]:
    return [collector.name for collector in collectors_of_node(place, RecordedPrograms(), None, None)]


def test_the_head_node_uses_the_names_that_the_spec_asks_for(tmp_path: Path):
    place = world(tmp_path)
    place.places.node_env.parent.mkdir(parents=True)
    place.places.node_env.write_text("TRAINYARD_ROLE='head'\nTRAINYARD_SLURM_NAMES='rivosinc'\n")
    slurm, scheduler, _ = collectors_of_node(place, RecordedPrograms(), None, None)
    assert "slurm_node_count_per_state" in slurm.collect().text()
    assert "slurm_rpc_user_count" in scheduler.collect().text()
    slurm, scheduler, _ = collectors_of_node(place, RecordedPrograms(), None, "vpenso")
    assert "slurm_node_count_per_state" not in slurm.collect().text()
    assert "slurm_rpc_user_count" not in scheduler.collect().text()


def test_a_node_without_a_role_says_what_to_do(tmp_path: Path):
    with pytest.raises(NodeError, match=r"run trainyard-node\.pyz bootstrap first"):
        collectors_of_node(world(tmp_path), RecordedPrograms(), None, "vpenso")
    assert collectors_of_node(world(tmp_path), RecordedPrograms(), ["efa"], "vpenso")[0].name == "efa"


if __name__ == "__main__":
    import tempfile

    for one, made in ROLES.items():
        with tempfile.TemporaryDirectory() as folder:
            (GOLDEN / f"{one}.prom").write_bytes(exposition(made(Path(folder))))
