"""A run together with what is known of where it ran: what every check is asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from trainyard.bench.expectation import Model, model
from trainyard.bench.machine import MachineType, accelerator_in, alone, by_accelerator, gpus_of_node, machine
from trainyard.bench.result import Run
from trainyard.errors import InputError
from trainyard.finding import Finding
from trainyard.finding_kinds import FindingKind, finding_of, kinds_beside


@dataclass(frozen=True, slots=True)
class Case:
    """One run to be judged."""

    run: Run
    machine: MachineType | None
    nodes: int | None
    gpus_per_node: int | None
    model: Model | None
    """None where nothing is known to hold it against."""

    @property
    def expectation(self) -> Model | None:
        """Return what tells what is expected of it; None where there is no more than a ceiling, without its network."""
        return self.model if self.model is not None and self.model.ceiling.known else None

    def finding(self, id_: str, message: str, line: int | None = None) -> Finding:
        """Return a finding of a kind about it."""
        return finding_of(kinds(), id_, message)._replace(line=line)


def kinds() -> Mapping[str, FindingKind]:
    """Return the kinds by their ids."""
    return kinds_beside(Path(__file__))


def case_of(run: Run, instance_type: str | None = None, nodes: int | None = None) -> Case:
    """Return a run with its machine. What the caller says goes before what the file says.

    Raises InputError where the two cannot both be so.
    """
    hardware = _machine(run, instance_type or run.instance_type)
    listed = len(run.hosts) if _is_whole_list(run) else 0
    count = nodes or run.nodes or listed or _nodes_by_ranks(run, hardware)
    each = _gpus_per_node(run, count, hardware, is_given=nodes is not None)
    expected = None
    if hardware is not None and count and each and run.collective:
        expected = model(hardware, count, each, run.collective)
    return Case(run, hardware, count or None, each, expected)


def _machine(run: Run, instance_type: str | None) -> MachineType | None:
    hardware = None if instance_type is None else machine(instance_type) or by_accelerator(instance_type)
    if hardware is not None or not run.devices:
        return hardware
    accelerator = accelerator_in(run.devices[0].name)
    if accelerator is None:
        return None
    each = len(run.devices) // max(len(run.hosts), 1) if _is_whole_list(run) else gpus_of_node(accelerator)
    return alone(accelerator, each)


def _is_whole_list(run: Run) -> bool:
    """Return whether all ranks are listed: a list that was cut says nothing of how many a node has."""
    return run.every_rank_listed and len(run.devices) == (run.ranks or len(run.devices))


def _nodes_by_ranks(run: Run, hardware: MachineType | None) -> int:
    """Return how many nodes the ranks fill; 0 where they do not fill any."""
    if run.ranks is None or hardware is None or run.ranks % hardware.gpus:
        return 1 if hardware is not None and run.ranks is not None and run.ranks < hardware.gpus else 0
    return run.ranks // hardware.gpus


def _gpus_per_node(run: Run, nodes: int, hardware: MachineType | None, *, is_given: bool) -> int | None:
    if run.ranks is None or not nodes:
        return hardware.gpus if hardware is not None and nodes else None
    if run.ranks % nodes == 0:
        return run.ranks // nodes
    if not is_given:
        return None
    raise InputError(
        f"{run.ranks} ranks cannot be spread evenly over {nodes} nodes",
        where="--nodes",
        hint="name the number of nodes that the test ran on",
    )
