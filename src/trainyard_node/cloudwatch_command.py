"""`trainyard-node cloudwatch`: writes metrics for CloudWatch, every minute, for the groups that node.env names."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Mapping
from pathlib import Path

from trainyard_node.cloudwatch.efa_rates import EfaRates
from trainyard_node.cloudwatch.gpu_readings import GpuReadings
from trainyard_node.cloudwatch.metric_publisher import MetricPublisher, MetricSource
from trainyard_node.cloudwatch.metrics_file import MetricsFile
from trainyard_node.cloudwatch.slurm_totals import SlurmTotals
from trainyard_node.errors import SETTING, NodeError
from trainyard_node.machine import World
from trainyard_node.node_env import read_node_env
from trainyard_node.output import err
from trainyard_node.programs import Programs, RealPrograms

# 50-cloudwatch.sh lets the agent follow it.
FILE = "/var/log/trainyard-cloudwatch/metrics.log"
# `system` is measured by the CloudWatch agent itself.
GROUPS = ("gpu", "efa", "efa-interfaces", "slurm")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "--group", action="append", choices=GROUPS, help="what to measure, again for more (default: as the spec says)"
    )
    parser.add_argument("--file", type=Path, metavar="FILE", help=f"where to write (default: {FILE})")
    parser.add_argument(
        "--once", action="store_true", help="write once and end with 1 where that failed; EFA needs two readings"
    )


def run(chosen: argparse.Namespace, world: World, programs: Programs | None = None) -> int:
    """Write until the process is asked to end."""
    programs = programs or RealPrograms()
    settings = read_node_env(world.places)
    groups = frozenset(chosen.group or settings.get("TRAINYARD_CLOUDWATCH_METRICS", "").split())
    file = MetricsFile(chosen.file or world.places.at(FILE))
    publishings = [MetricPublisher(source, file, world.clock) for source in sources(groups, settings, world, programs)]
    if not publishings:
        err("the spec asks for no metrics of this node in CloudWatch that trainyard-node measures")
        return 0
    if chosen.once:
        failed = sum(not publishing.publish() for publishing in publishings)
        return 1 if failed else 0
    return _keep_publishing(publishings)


def sources(
    groups: frozenset[str], settings: Mapping[str, str], world: World, programs: Programs
) -> list[MetricSource]:
    """Return what is measured on this node."""
    cluster, instance = (_setting(settings, name) for name in ("TRAINYARD_CLUSTER", "TRAINYARD_INSTANCE_ID"))
    all_sources: list[MetricSource] = []
    if "gpu" in groups:
        all_sources.append(GpuReadings(programs, cluster, instance))
    if groups & {"efa", "efa-interfaces"}:
        all_sources.append(EfaRates(world, instance, groups))
    if "slurm" in groups:
        all_sources.append(SlurmTotals(programs, cluster))
    return all_sources


def _setting(settings: Mapping[str, str], name: str) -> str:
    if not settings.get(name):
        raise NodeError(f"node.env does not give {name}: run trainyard-node.pyz bootstrap again", SETTING)
    return settings[name]


def _keep_publishing(publishings: list[MetricPublisher]) -> int:
    """Publish each in a thread of its own until a signal comes."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    for publishing in publishings:
        threading.Thread(target=publishing.keep_publishing, args=(stop,), daemon=True).start()
    stop.wait()
    return 0
