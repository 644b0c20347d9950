"""What our own exporter says: its real collectors, on the tree of a p5 and on what a real Slurm printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.monitoring.whole_cluster.growing import Line, counters, growing
from tests.monitoring.whole_cluster.nodes import Node
from tests.node.collectors.cpu_stat import show_cpus
from tests.node.collectors.efa_tree import INSTANCES, EfaTree
from tests.node.collectors.lustre_tree import mount_lustre
from tests.node.collectors.recorded_programs import end_of
from tests.node.doubles import FakeClock, FakeProcesses
from trainyard.simulation.node import data
from trainyard_node.collectors.collector import Collector
from trainyard_node.collectors.cpu import CpuCollector
from trainyard_node.collectors.efa import EfaCollector
from trainyard_node.collectors.efa_device import PREFIX
from trainyard_node.collectors.health import samples_of
from trainyard_node.collectors.lustre import LustreCollector
from trainyard_node.collectors.prices import PricesCollector
from trainyard_node.collectors.slurm.collector import SlurmCollector
from trainyard_node.collectors.slurm.scheduler import SchedulerCollector
from trainyard_node.exposition import Exposition
from trainyard_node.health.checks import NAMES
from trainyard_node.health.outcome import Outcome
from trainyard_node.machine import World
from trainyard_node.places import Places
from trainyard_node.samples import Samples

_HERE = Path(__file__).parent
_END = b"\x1e0123456789abcdef"
# As the checks would find the ill GPU and the interface that is gone.
_ILL_GPU = (
    Outcome("gpu-ecc", "failed", "2 uncorrected errors since the driver was loaded", "gpu 3"),
    Outcome("gpu-row-remap", "failed", "a bad row of memory could not be remapped", "gpu 3"),
    Outcome("gpu-xid", "failed", "Xid 64, once", "gpu 3", code="64", text="row remapping failed"),
)
# Data that is read, and checkpoints on the average. Each kind of operations takes a tenth of the time.
_LUSTRE_BUSY = {
    "trainyard_lustre_read_bytes_total": 120e6,
    "trainyard_lustre_written_bytes_total": 80e6,
    "trainyard_lustre_operations_total": 40.0,
    "trainyard_lustre_operation_seconds_total": 0.1,
}
_PRICES = "TRAINYARD_LIST_PRICES='gpu:p5.48xlarge:on-demand:55.04'\nTRAINYARD_BUDGET_USD_MONTH='200000'\n"
_LOST_EFA = (Outcome("efa-count", "failed", "31 EFA interfaces, where there should be 32"),)


def on_head(folder: Path, *, ill: bool) -> list[Line]:
    """Return what the head node exports: Slurm, as it was recorded well or ill, and prices, of settings in a folder."""
    places, clock = Places(str(folder)), FakeClock()
    places.node_env.parent.mkdir(parents=True, exist_ok=True)
    places.node_env.write_text(_PRICES)
    prices = PricesCollector(World(places, clock, FakeProcesses(clock)))
    programs = _Printed(_HERE / "recorded" / "slurm" / ("ill" if ill else "well"))
    return _lines([SlurmCollector(programs), SchedulerCollector(programs, "vpenso"), prices], {})


_CPUS = 192  # of a p5.48xlarge


def on_compute(node: Node, folder: Path, *, ill: bool) -> list[Line]:
    """Return what a compute node exports: its EFA interfaces, whose tree is made in a folder, and its health."""
    lost = node.lost_efa if ill else ""
    root = _tree(folder / (lost or "whole"), lost)
    clock = FakeClock()
    found = _LOST_EFA if lost else _ILL_GPU if ill and node.ill_gpu is not None else ()
    collectors: list[Collector] = [
        CpuCollector(World(Places(str(root)), clock, FakeProcesses(clock))),
        EfaCollector(World(Places(str(root)), clock, FakeProcesses(clock))),
        LustreCollector(World(Places(str(root)), clock, FakeProcesses(clock))),
        _Health(found),
    ]
    rates = data("efa_rates")
    own = {**rates["always"], **({**rates["busy"], **_LUSTRE_BUSY} if node.busy else {})}
    interfaces = INSTANCES["p5"][0] - bool(lost)
    totals = {
        f"trainyard_efa_{name.removeprefix(PREFIX)}_total": interfaces * rate
        for name, rate in own.items()
        if name.startswith(PREFIX)
    }
    idle = {"trainyard_cpu_idle_seconds_total": 0.9 * _CPUS}
    return _lines(collectors, {**own, **totals, **idle})


def _tree(folder: Path, lost: str) -> Path:
    if not (folder / "sys").exists():
        EfaTree(folder).instance("p5")
        mount_lustre(folder)
        show_cpus(folder, _CPUS)
        if lost:
            (folder / "sys/class/infiniband" / lost).unlink()
    return folder


def _lines(collectors: Sequence[Collector], rates: Mapping[str, float]) -> list[Line]:
    exposition = Exposition(collectors, FakeClock())
    exposition.read_once()
    text = b"".join(exposition.text()).decode()
    # A reading every 30 seconds.
    read = {name: 1 / 30 for name in counters(text) if name.endswith("_readings_total")}
    return growing(text, lambda name, *_: {**rates, **read}.get(name, 0.0))


class _Health:
    """A node all of whose checks are fine but those that are given."""

    name = "health"
    interval_s = 300.0
    deadline_s = 15.0

    def __init__(self, found: Sequence[Outcome]) -> None:
        self._found = found

    def collect(self) -> Samples:
        bad = {outcome.check for outcome in self._found}
        return samples_of([*(Outcome(name, "ok", "") for name in NAMES if name not in bad), *self._found])


class _Printed:
    """Slurm's commands, played back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, command: Sequence[str], timeout_s: float, most_bytes: int, variables: Mapping[str, str]) -> bytes:
        del timeout_s, most_bytes, variables
        return (self._folder / command[0]).read_bytes().replace(_END, end_of(command))
