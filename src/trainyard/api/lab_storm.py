"""What interruptions at a published rate would do to a run: simulated, and accounted for by the ledger of real runs."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from trainyard.api.run import checked_run
from trainyard.catalog.prices import instance_hour
from trainyard.document.read import read_yaml
from trainyard.edge.text_file import read_text
from trainyard.errors import InputError
from trainyard.training.checkpoint_interval import FailureRate, failure_rates
from trainyard.training.job import launch_of_run, nodes_of, processes_on_node
from trainyard.training.ledger.ledger import ledger_of
from trainyard.training.run import Run
from trainyard.training.storm import DAY_MS, Storm, simulated

__all__ = ["StormOutcome", "storm_of_run"]


class StormOutcome(NamedTuple):
    """What a run would have been worth."""

    run: str
    rate: FailureRate
    storm: Storm
    faults: dict[str, int]
    gpu_ms: dict[str, int]
    """By kind, as the ledger says."""
    truth_gpu_ms: dict[str, int]
    """By kind, as the simulation knows."""
    queue_ms: int
    """How long the run waited to be started again, while its nodes were paid for."""
    usd_per_node_hour: float | None

    @property
    def gpus(self) -> int:
        """Return how many GPUs the run has."""
        return self.storm.nodes * self.storm.gpus_per_node

    @property
    def productive_share(self) -> float:
        """Return the share of the whole time in which steps were done that count (ETTR, with the waits in it)."""
        whole_ms = self.storm.days * DAY_MS * self.gpus
        return self.gpu_ms["productive"] / whole_ms

    @property
    def usd_per_useful_gpu_hour(self) -> float | None:
        """Return what an hour of a GPU that counts costs, with all nodes paid for all the time; None unknown."""
        if self.usd_per_node_hour is None or not self.gpu_ms["productive"]:
            return None
        return self.usd_per_node_hour / self.storm.gpus_per_node / self.productive_share


def storm_of_run(  # noqa: PLR0913  one for each option
    file: str,
    *,
    days: float = 30.0,
    rates: str = "llama3",
    seed: int = 1,
    step_s: float = 4.0,
    now: datetime | None = None,
) -> StormOutcome:
    """Simulate so many days of a run whose nodes fail at a rate: the name of a published one, or a file.

    Raises FindingsError where the run cannot be read, InputError where there is no such rate.
    """
    run_file = checked_run(file, now or datetime.now(UTC)).file
    run, spec, rate = run_file.run, run_file.spec, _rate(rates)
    launch, group = launch_of_run(run, spec), nodes_of(run, spec)
    gpus = max(processes_on_node(run, launch), 1)
    storm = Storm(
        run.nodes, gpus, rate.per_1000_node_days, days=days, seed=seed, step_ms=max(round(step_s * 1000), 1),
        hang_ms=round(run.restarts.hang_min * 60_000), **_saves(run),
    )  # fmt: skip
    result = simulated(storm)
    ledger = ledger_of(result.attempts, result.sessions)
    price = instance_hour(str(group.instance_type), spec.region)
    waits_ms = max(len(result.attempts) - 1, 0) * storm.queue_ms
    return StormOutcome(
        run.name, rate, storm, result.faults, ledger.gpu_ms(), result.truth_gpu_ms, waits_ms,
        None if price is None else float(price.usd),
    )  # fmt: skip


def _saves(run: Run) -> dict[str, Any]:
    if run.checkpoints is None:
        return {}
    write_ms = round(run.checkpoints.write_s * 1000)
    return {"interval_ms": round(run.checkpoints.interval_min * 60_000), "write_ms": write_ms, "load_ms": write_ms}


def _rate(name: str) -> FailureRate:
    known = failure_rates()
    if name in known:
        return known[name]
    if not Path(name).is_file():
        hint = f"name a file that has per_1000_node_days, or one of {', '.join(known)}"
        raise InputError(f"there is no failure rate {name[:80]!r}", where="--rates", hint=hint)
    value = read_yaml(read_text(name), name).value
    found = value.get("per_1000_node_days") if isinstance(value, dict) else None
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 < found <= 1_000_000:
        hint = "write per_1000_node_days: 3.8, for instance: interruptions of a job in 1,000 days of a node"
        raise InputError("the file has no failure rate", where=name, hint=hint)
    return FailureRate(name, float(found), str(value.get("what") or "from a file"), str(value.get("source") or name))
