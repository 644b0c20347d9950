"""Which collectors a node runs."""

from __future__ import annotations

from collections.abc import Sequence

from trainyard_node.collectors.collector import Collector
from trainyard_node.collectors.cpu import CpuCollector
from trainyard_node.collectors.efa import EfaCollector
from trainyard_node.collectors.health import HealthCollector
from trainyard_node.collectors.jobs import KUBELET, JobsCollector
from trainyard_node.collectors.lustre import LustreCollector
from trainyard_node.collectors.nccl_inspector import NcclInspectorCollector
from trainyard_node.collectors.nccl_ras import NcclRasCollector
from trainyard_node.collectors.neuron import DEVICES, NeuronCollector
from trainyard_node.collectors.prices import PricesCollector
from trainyard_node.collectors.slurm.collector import DEFAULT_NAMES, NAMES, SlurmCollector
from trainyard_node.collectors.slurm.scheduler import SchedulerCollector
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.programs import Programs

COLLECTORS = (
    *("slurm", "slurm-scheduler", "prices", "cpu", "efa", "lustre", "neuron", "health"),
    *("jobs", "nccl-ras", "nccl-inspector"),
)


def collectors_of_node(
    world: World, programs: Programs, names_asked: Sequence[str] | None, names: str | None
) -> list[Collector]:
    """Return those that are asked for, or those of the node's role: Slurm on the head node, its hardware on others."""
    chosen = names or _slurm_names(world)
    by_name: dict[str, Collector] = {
        "slurm": SlurmCollector(programs, chosen),
        "slurm-scheduler": SchedulerCollector(programs, chosen),
        "prices": PricesCollector(world),
        "cpu": CpuCollector(world),
        "efa": EfaCollector(world),
        "lustre": LustreCollector(world),
        "neuron": NeuronCollector(world),
        "health": HealthCollector(world),
        "jobs": JobsCollector(world),
        "nccl-ras": NcclRasCollector(),
        "nccl-inspector": NcclInspectorCollector(world),
    }
    return [by_name[name] for name in names_asked or _of_role(world)]


def _slurm_names(world: World) -> str:
    """Return whose names the spec asks for. Without a spec, those that most dashboards query."""
    try:
        names_chosen = read_node_env(world.places).get("TRAINYARD_SLURM_NAMES", "")
    except NodeError:
        return DEFAULT_NAMES
    return names_chosen if names_chosen in NAMES else DEFAULT_NAMES


def _of_role(world: World) -> tuple[str, ...]:
    settings = read_node_env(world.places)
    role = settings.get("TRAINYARD_ROLE", "")
    if role == "head":
        return ("slurm", "slurm-scheduler", "prices")
    if role.startswith("compute-"):
        # An image may have the driver, whatever the setup is.
        has_neuron = settings.get("TRAINYARD_SETUP") == "neuron" or world.places.at(DEVICES).exists()
        neuron = ("neuron",) if has_neuron else ()
        # Elsewhere Slurm knows them; on AWS Batch, `--collector jobs` asks for this.
        jobs = ("jobs",) if world.places.at(KUBELET).is_dir() else ()
        wanted = {
            "nccl-ras": settings.get("TRAINYARD_NCCL_RAS"),
            "nccl-inspector": settings.get("TRAINYARD_NCCL_INSPECTOR"),
        }
        prices = ("prices",) if settings.get("TRAINYARD_LIST_PRICES") else ()
        return (
            *prices,
            "cpu",
            "efa",
            "lustre",
            *neuron,
            "health",
            *jobs,
            *(name for name, chosen in wanted.items() if chosen == "1"),
        )
    if role == "login":
        return ()
    raise NodeError(f"node.env gives the role {role!a:.40}, which is none: name what to read with --collector")
