"""What node_exporter says on a node: recorded/node_exporter.prom with the node's name, going on from there."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.monitoring.whole_cluster.growing import Line, counters, growing
from tests.monitoring.whole_cluster.nodes import Node
from trainyard.training.ledger.attempt import KINDS
from trainyard.training.ledger.report_metrics import report_metrics

_RECORDED = Path(__file__).parent / "recorded" / "node_exporter.prom"
# Only compute nodes have local disks, and the head node serves /home itself.
_NOT_THERE = {
    "HeadNode": ('mountpoint="/scratch"', 'mountpoint="/home"', "node_nfs_"),
    "LoginNode": ('mountpoint="/scratch"', "node_nfsd_"),
    "Compute": ("node_nfsd_",),
}
# Bytes in all and left of what was recorded on one disk: 200 GiB, 500 GiB, 4.8 TiB of FSx, eight local disks.
_SPACE = {
    "/": {"size_bytes": 208_000_000_000, "avail_bytes": 121_000_000_000, "free_bytes": 129_000_000_000},
    "/home": {"size_bytes": 528_000_000_000, "avail_bytes": 402_000_000_000, "free_bytes": 428_000_000_000},
    "/fsx": {"size_bytes": 5_150_000_000_000, "avail_bytes": 2_990_000_000_000, "free_bytes": 2_990_000_000_000},
    "/scratch": {"size_bytes": 30_000_000_000_000, "avail_bytes": 27_400_000_000_000, "free_bytes": 28_900_000_000_000},
}
# GPU-hours of each use, in the order of KINDS: of a run with a storm of failures, one that goes well, and a short one.
_RUNS = {
    "pretrain": (61_000, 900, 1_400, 300, 5_200, 1_100, 700, 250, 400, 0, 0),
    "mixtral-8x22b": (40_500, 250, 600, 50, 240, 0, 310, 90, 0, 0, 0),
    "sweep <b>7</b>": (1_900, 80, 40, 0, 0, 0, 25, 60, 0, 110, 350),
}
_WITHOUT_RUN = {"boot": 320.0, "repair": 90.0, "idle": 2_400.0}
_HOUR_MS = 3_600_000
# Many small files lie on login nodes: of 16 million inodes, these are left.
_OF_LOGIN_NODE = {"/": {**_SPACE["/"], "files_free": 2_100_000}}


def node_exporter(node: Node) -> list[Line]:
    """Return its lines. Each counter goes on as fast as it grew since the machine's start."""
    text = _of(node)
    grow, values = counters(text), _plain_values(text)
    uptime_s = values["node_time_seconds"] - values["node_boot_time_seconds"]
    # The nodes differ, as real ones do.
    pace = 1.0 if node.busy else 0.8

    def rate(name: str, labels: str, value: float) -> float:
        del labels
        if name == "node_time_seconds":
            return 1.0
        return value / uptime_s * (1.0 if name == "node_cpu_seconds_total" else pace) if name in grow else 0.0

    now = time.time()
    clock = {"node_time_seconds": now, "node_boot_time_seconds": now - uptime_s}
    return [line._replace(value=clock.get(line.text, line.value)) for line in growing(text, rate)]


def _of(node: Node) -> str:
    lines = _RECORDED.read_text(encoding="utf-8").replace('nodename="HOST"', f'nodename="{node.host}"').splitlines()
    kept = [line for line in lines if not any(part in line for part in _NOT_THERE[node.node_type])]
    runs = _report_of_runs() if node.node_type == "HeadNode" else ""
    return "\n".join(_with_space(line, node) for line in kept) + f"\n{runs}"


def _report_of_runs() -> str:
    """Return what a timer of the head node writes for its node_exporter."""
    outside = {"time": [{"kind": kind, "gpu_hours": hours} for kind, hours in _WITHOUT_RUN.items()]}
    return report_metrics({"runs": [_run(name, hours) for name, hours in _RUNS.items()], "outside": outside})


def _run(name: str, hours: tuple[int, ...]) -> dict[str, Any]:
    goodput, price = hours[0] / sum(hours), 6.88
    return {
        "run": name,
        "gpu_ms": {kind: spent * _HOUR_MS for kind, spent in zip(KINDS, hours, strict=True)},
        "goodput": goodput,
        "ettr": goodput * 0.98,
        "mtbf_h": 31.5,
        "interruptions": hours[4] // 240,
        "usd_per_useful_gpu_hour": price / goodput,
        "utilisation": {"mfu": 0.31 + 0.1 * goodput},
    }


def _with_space(line: str, node: Node) -> str:
    name, _, rest = line.partition("{")
    spaces = {**_SPACE, **(_OF_LOGIN_NODE if node.node_type == "LoginNode" else {})}
    for place, space in spaces.items():
        value = space.get(name.removeprefix("node_filesystem_"))
        if value is not None and f'mountpoint="{place}"' in rest:
            return f"{line.rpartition(' ')[0]} {value}"
    return line


def _plain_values(text: str) -> dict[str, float]:
    lines = [line.split(" ") for line in text.splitlines() if not line.startswith("#") and "{" not in line]
    return {name: float(value) for name, value in lines}
