"""`trainyard-node serve`: exports metrics of this node to Prometheus, until it is asked to end."""

from __future__ import annotations

import argparse

from trainyard_node.collectors.of_node import COLLECTORS, collectors_of_node
from trainyard_node.collectors.slurm.collector import NAMES
from trainyard_node.exposition import Exposition
from trainyard_node.machine import World
from trainyard_node.output import out
from trainyard_node.programs import RealPrograms
from trainyard_node.serve import serve


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("--listen", default="127.0.0.1:9341", metavar="HOST:PORT", help="where (default: %(default)s)")
    parser.add_argument(
        "--collector",
        action="append",
        choices=COLLECTORS,
        help="what to read, again for more (default: as the node's role)",
    )
    parser.add_argument(
        "--slurm-names", choices=sorted(NAMES), help="whose names Slurm's figures have (default: vpenso)"
    )
    parser.add_argument("--once", action="store_true", help="read once, print it, and end with 1 where reading failed")


def run(chosen: argparse.Namespace, world: World) -> int:
    """Serve, or read once. Raises NodeError where the node has no role, or the address cannot be had."""
    collectors = collectors_of_node(world, RealPrograms(), chosen.collector, chosen.slurm_names)
    exposition = Exposition(collectors, world.clock)
    if not chosen.once:
        return serve(exposition, chosen.listen)
    exposition.read_once()
    out(b"".join(exposition.text()).decode().rstrip("\n"))
    return 0 if all(reading.success for reading in exposition.readings) else 1
