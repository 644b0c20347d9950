"""Runs of clusters that there could be: as fast as two p5 were published, or slower where a node is slow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.bench.test_nccl_json import content
from tests.bench.texts import CLOSING, HEADER

_GPUS = 8
# Published for two p5: µs by size. https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests
_TIMES_US = {
    8: 69.1, 1024: 69.2, 65536: 135.1, 262144: 128.0, 1048576: 123.2, 4194304: 168.6, 16777216: 298.1, 67108864: 601.5,
    134217728: 870.3, 536870912: 2559.2, 1073741824: 4607.6, 4294967296: 17286.0, 17179869184: 66132.0,
}  # fmt: skip


def text(hosts: Sequence[str], times: float = 1.0, *, log: Sequence[str] = ()) -> str:
    """Return what all_reduce_perf prints on these hosts, each time that many times as long."""
    ranks = len(hosts) * _GPUS
    factor = 2 * (ranks - 1) / ranks
    lines = [
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1",
        "# Collective test starting: all_reduce_perf",
        *(
            f"#  Rank {rank} Group  0 Pid {4000 + rank} on {hosts[rank // _GPUS]} device {rank % _GPUS} [0000:53:00] "
            "NVIDIA H100 80GB HBM3"
            for rank in range(ranks)
        ),
        *log,
        *HEADER,
        *(_row(size, time_us * times, factor) for size, time_us in _TIMES_US.items()),
        *CLOSING,
    ]
    return "\n".join(lines) + "\n"


def _row(size: int, time_us: float, factor: float) -> str:
    algbw = size / time_us / 1e3
    half = f"{time_us:.2f} {algbw:.2f} {algbw * factor:.2f} 0"
    return f"{size} {size // 4} float sum -1 {half} {half}"


def write_pairs(folder: Path, pairs: Sequence[tuple[str, str]], slow: Mapping[str, float]) -> None:
    """Write a run of each pair, as slow as its slowest node."""
    folder.mkdir(parents=True, exist_ok=True)
    for at, pair in enumerate(pairs):
        times = max(slow.get(host, 1.0) for host in pair)
        # No two runs are quite alike.
        (folder / f"pair-{at:03}.out").write_text(text(pair, times * (1 + at % 7 / 200)))


def ring(count: int) -> list[tuple[str, str]]:
    """Return each node of so many with the next one."""
    hosts = [f"p5-dy-{at + 1}" for at in range(count)]
    return list(pairwise(hosts))


def all_pairs(count: int) -> list[tuple[str, str]]:
    """Return each node of so many with each other one."""
    hosts = [f"p5-dy-{at + 1}" for at in range(count)]
    return [(host, other) for at, host in enumerate(hosts) for other in hosts[at + 1 :]]


def json_with_process_times(factor_of_host: Mapping[str, float], hosts: int = 4) -> str:
    """Return nccl-tests' JSON with the times of every process; those of some hosts are longer or shorter."""
    found: dict[str, Any] = content()
    devices: list[dict[str, Any]] = [
        {"rank": rank, "group": 0, "pid": 40 + rank, "hostname": f"p5-{rank // 8 + 1}", "device": rank % 8,
         "device_info": "NVIDIA H100 80GB HBM3"}
        for rank in range(8 * hosts)
    ]  # fmt: skip
    found["config"]["devices"] = devices
    factor = 2 * (len(devices) - 1) / len(devices)
    for result in found["results"]:
        measured = result["out_of_place"]
        result["out_of_place"] = {**measured, "bus_bw": measured["alg_bw"] * factor}
        times = [
            [measured["time"] * 9] * 3 + [measured["time"] * factor_of_host.get(device["hostname"], 1.0)] * 2
            for device in devices
        ]
        result["out_of_place_per_iter"] = {"skipped_iterations": 3, "per_process_max_times_us": times}
    return json.dumps(found)
