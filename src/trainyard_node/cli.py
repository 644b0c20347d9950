"""The command line of the node. Nothing else prints results or decides exit statuses."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from trainyard_node.asset import asset
from trainyard_node.bootstrap import bootstrap
from trainyard_node.bootstrap_status import bootstrap_status
from trainyard_node.clock import RealClock
from trainyard_node.deferred_steps import bootstrap_deferred
from trainyard_node.errors import NodeError
from trainyard_node.machine import World
from trainyard_node.output import err, out
from trainyard_node.places import Places
from trainyard_node.processes import RealProcesses
from trainyard_node.this_package import version
from trainyard_node.versions import as_json, as_table, versions

USAGE = 2
# Imported when they are asked for: steps start this program for each asset, and Python compiles all that it imports.
_LATER = {
    "serve": ("trainyard_node.serve_command", "export metrics of the node to Prometheus"),
    "cloudwatch": ("trainyard_node.cloudwatch_command", "write metrics for CloudWatch, every minute"),
    "credentials": ("trainyard_node.credentials_command", "give Prometheus the credentials of the node's role"),
    "reservations": ("trainyard_node.reservations_command", "say when the cluster's capacity reservations end"),
    "block-end": ("trainyard_node.block_end_command", "see that jobs end before their Capacity Block does"),
    "health": ("trainyard_node.health_command", "whether this node may take jobs: 0 yes, 1 no"),
}


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    words = sys.argv[1:] if words is None else words
    chosen = _parser(words).parse_args(words)
    places = Places(os.environ.get("TRAINYARD_SYSROOT", ""))
    world = World(places, RealClock(), RealProcesses(places.running_step))
    try:
        return _run(chosen, world)
    except NodeError as error:
        err(str(error))
        return error.status
    except BrokenPipeError:
        # Whoever read has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1


def _run(chosen: argparse.Namespace, world: World) -> int:
    if chosen.command == "bootstrap":
        return _bootstrap(chosen, world)
    if chosen.command == "bootstrap-status":
        return bootstrap_status(world.places, as_json=chosen.json)
    if chosen.command in _LATER:
        return int(import_module(_LATER[chosen.command][0]).run(chosen, world))
    if chosen.command == "versions":
        found_versions = versions(world.places, world.processes)
        out(as_json(found_versions) if chosen.json else as_table(found_versions))
    else:
        # All or nothing: a step that gets some files of an asset would take them for all.
        out("\n".join(str(file) for file in list(asset(chosen.name, world.places, world.processes))))
    return 0


def _bootstrap(chosen: argparse.Namespace, world: World) -> int:
    if chosen.deferred:
        return bootstrap_deferred(world)
    if chosen.release is None or chosen.folder is None:
        raise NodeError("bootstrap needs --release and --folder, or --deferred", USAGE)
    return bootstrap(chosen.release, chosen.folder.rstrip("/"), world)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="trainyard-node", description="What trainyard does on a node of a cluster.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    bringing_up = commands.add_parser("bootstrap", help="bring the node up, from a release")
    bringing_up.add_argument("--release", type=Path, help="the folder of the unpacked release")
    bringing_up.add_argument("--folder", help="the cluster's folder: s3://BUCKET/trainyard/CLUSTER")
    bringing_up.add_argument("--deferred", action="store_true", help="run the steps that wait for Slurm")
    status = commands.add_parser("bootstrap-status", help="how the node came up: 0 ready, 1 not, 2 never, 3 not yet")
    status.add_argument("--json", action="store_true", help="print the record itself")
    installed = commands.add_parser("versions", help="what is installed")
    installed.add_argument("--json", action="store_true", help="print JSON")
    for name, (module, help_text) in _LATER.items():
        later = commands.add_parser(name, help=help_text)
        if name in words:
            import_module(module).add_arguments(later)
    files = commands.add_parser("asset", help="fetch an asset and print its files")
    files.add_argument("name", help="its name in assets.lock.json")
    return parser


def _version() -> str:
    return f"trainyard-node {version()} on Python {platform.python_version()}"
