"""``trainyard lab storm``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trainyard.cli import suggestions
from trainyard.cli.output import json_option, print_json, print_text
from trainyard.counts import count_text
from trainyard.foreign_text import quoted

if TYPE_CHECKING:
    from trainyard.api.lab_storm import StormOutcome

_HOUR_MS = 3_600_000


@click.command()
@click.argument("run", metavar="RUN", shell_complete=suggestions.files)
@click.option("--days", type=click.FloatRange(0, 366, min_open=True), default=30.0, show_default=True, metavar="DAYS",
              help="How long the run takes.")  # fmt: skip
@click.option("--rates", default="llama3", show_default=True, metavar="NAME|FILE",
              help="How often nodes fail: llama3, b200-fleet, or a file with per_1000_node_days.")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Another one draws other failures.")
@click.option("--step", "step_s", type=click.FloatRange(0.01, 3600), default=4.0, show_default=True, metavar="SECONDS",
              help="How long a step takes.")  # fmt: skip
@json_option
def command(  # noqa: PLR0913  one for each option
    *, run: str, days: float, rates: str, seed: int, step_s: float, as_json: bool
) -> None:
    """Say what the run of the file RUN would be worth where its nodes fail at a published rate.

    Days pass in seconds: failures are drawn, starts, steps and checkpoints follow
    from the run, and the ledger of real runs accounts for what they would have
    told. Half of the failures are taken for crashes, four in ten for nodes that
    answer no more and one in ten for hangs, which nobody publishes for all fleets.
    The price is the list price of all nodes for all of the time.

    \b
    Example:
      trainyard lab storm run.yaml --days 30 --rates llama3
      trainyard lab storm run.yaml --rates b200-fleet --seed 7 --json
    """
    from trainyard.api.lab_storm import storm_of_run

    outcome = storm_of_run(run, days=days, rates=rates, seed=seed, step_s=step_s)
    if as_json:
        print_json(_values(outcome))
    else:
        _print(outcome)


def _print(outcome: StormOutcome) -> None:
    from trainyard.training.ledger.attempt import MEANINGS

    storm, rate = outcome.storm, outcome.rate
    machines = f"{count_text(storm.nodes, 'node')} with {count_text(outcome.gpus, 'GPU')}"
    print_text(f"{outcome.run}: {storm.days:g} days on {machines}, simulated")
    print_text(f"{rate.per_1000_node_days:g} interruptions in 1,000 node-days: {quoted(rate.what)} ({rate.source})")
    faults = ", ".join(count_text(count, *_FAULTS[fault]) for fault, count in outcome.faults.items())
    print_text(f"{count_text(sum(outcome.faults.values()), 'interruption')}: {faults}")
    whole = sum(outcome.gpu_ms.values()) + outcome.queue_ms * outcome.gpus
    for kind, taken in outcome.gpu_ms.items():
        if taken:
            hours = taken / _HOUR_MS
            print_text(f"  {kind:<11}{100 * taken / whole:6.2f} %  {hours:14,.1f} GPU-hours  {MEANINGS[kind]}")
    waits = outcome.queue_ms * outcome.gpus
    print_text(
        f"  {'queue':<11}{100 * waits / whole:6.2f} %  {waits / _HOUR_MS:14,.1f} GPU-hours  waits for its next start"
    )
    print_text(f"{100 * outcome.productive_share:.2f} % of the time counts")
    if outcome.usd_per_useful_gpu_hour is None:
        print_text("nobody lists a price of these nodes there")
    else:
        print_text(f"{outcome.usd_per_useful_gpu_hour:.2f} USD for a GPU-hour that counts, by list prices")


_FAULTS = {"crash": ("crash", "crashes"), "node": ("node lost", "nodes lost"), "hang": ("hang", "hangs")}


def _values(outcome: StormOutcome) -> dict[str, object]:
    return {
        "run": outcome.run,
        "simulated": True,
        "rate": outcome.rate._asdict(),
        "storm": outcome.storm._asdict(),
        "interruptions": outcome.faults,
        "gpu_ms": outcome.gpu_ms,
        "truth_gpu_ms": outcome.truth_gpu_ms,
        "queue_ms": outcome.queue_ms,
        "productive_share": outcome.productive_share,
        "usd_per_useful_gpu_hour": outcome.usd_per_useful_gpu_hour,
    }
