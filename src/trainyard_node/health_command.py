"""`trainyard-node health`: whether this node may take jobs, within ten seconds."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from trainyard_node.collectors.health import samples_of
from trainyard_node.errors import NodeError
from trainyard_node.health.checks import CHECKS, NAMES, Check, Checks
from trainyard_node.health.machine import this_machine
from trainyard_node.health.node_hold import NodeHold
from trainyard_node.health.outcome import Outcome, is_healthy
from trainyard_node.health.report import as_json, as_text, reason
from trainyard_node.machine import World
from trainyard_node.output import err, out

HEALTHY, UNHEALTHY, USAGE = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--prometheus", action="store_true", help="print metrics")
    form.add_argument("--slurm", action="store_true", help="print nothing but why not, as one line, for Slurm's logs")
    parser.add_argument("--only", nargs="+", choices=NAMES, metavar="CHECK", default=[], help="run these checks alone")
    parser.add_argument("--skip", nargs="+", choices=NAMES, metavar="CHECK", default=[], help="leave these checks out")
    parser.add_argument(
        "--hold",
        action="store_true",
        help="reserve the node while it is unhealthy, so that no further jobs start, and give it back when it is well",
    )


def run(chosen: argparse.Namespace, world: World) -> int:
    """Check the node, print what was found, and return 0 where it may take jobs and 1 where it may not.

    For Slurm's HealthCheckProgram, health/slurm-health-check.sh of the release calls it with --slurm and --hold: slurmd
    writes the line down where the status is not 0, and does nothing else about it. run_script_health_check in
    https://github.com/SchedMD/slurm/blob/master/src/slurmd/slurmd/slurmd.c
    In a prolog, 1 turns the job away and drains the node, and --hold is refused.
    """
    checks = _selected(chosen)
    if chosen.hold:
        _refuse_in_prolog()
    outcomes = Checks(checks).run(this_machine(world))
    _print(chosen, outcomes)
    followed = _follow(outcomes, world) if chosen.hold else True
    return HEALTHY if followed and is_healthy(outcomes) else UNHEALTHY


def _follow(outcomes: Sequence[Outcome], world: World) -> bool:
    """Hold the node or give it back, and return whether that worked. What did not work leaves the verdict as it is."""
    try:
        message = NodeHold(world).follow(outcomes)
    except NodeError as error:
        err(str(error))
        return False
    if message:
        err(message)
    return True


def _selected(chosen: argparse.Namespace) -> list[Check]:
    only, skip = set(chosen.only), set(chosen.skip)
    checks = [check for check in CHECKS if (not only or check.NAME in only) and check.NAME not in skip]
    if not checks:
        raise NodeError("no check is left: --skip names all that --only does", USAGE)
    return checks


def _refuse_in_prolog() -> None:
    """Slurm's commands are not for prologs: https://slurm.schedmd.com/prolog_epilog.html."""
    context = os.environ.get("SLURM_SCRIPT_CONTEXT", "")
    if context.startswith(("prolog", "epilog")):
        raise NodeError(f"--hold is not for a {context}, which must not call Slurm: leave it out there", USAGE)


def _print(chosen: argparse.Namespace, outcomes: Sequence[Outcome]) -> None:
    if chosen.json:
        out(as_json(outcomes))
    elif chosen.prometheus:
        out(samples_of(outcomes).text().rstrip("\n"))
    elif not chosen.slurm:
        out(as_text(outcomes))
    elif not is_healthy(outcomes):
        out(f"trainyard: {reason(outcomes)}")
